from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from syncbot.verify.import_smoke import Imports

ROOT = Path(__file__).parents[2]


def result(**modules: str | None) -> Imports:
    return Imports({name.replace("__", "."): error for name, error in modules.items()}, "now", "python -m m")


def test_what_imported_before_and_does_not_now_is_lost() -> None:
    before = result(a=None, a__b=None, a__gone=None, a__never="ImportError: x")
    now = result(a=None, a__b="ImportError: y", a__never="ImportError: z", a__new="ValueError")
    assert now.lost(before) == {"a.b": "ImportError: y"}
    assert before.lost(before) == {}


def test_every_module_is_imported_and_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("simulator/vllm/src", "simulator/src"):
        monkeypatch.syspath_prepend(str(ROOT / place))
    texts = {
        "__init__": "",
        "fine": "import zoo.inner.deep\nzoo.inner.deep.called()",
        "inner/__init__": "",
        "inner/deep": "def called(): ...\ndef uncalled(): ...",
        "lacks": "from zoo.inner import never",
        "leaves": "raise SystemExit('no device\\nsecond line')",
        "ends": "import os; os._exit(3)",
        "zz_last": "",
        "not-a-module": "raise ValueError",
    }
    for name, text in texts.items():
        file = tmp_path / "zoo" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", ":".join(map(str, sys.path[:3])))
    smoke = importlib.import_module("vllm_npu_cases.imports")
    names = smoke.modules("zoo")
    assert names == [
        "zoo",
        "zoo.ends",
        "zoo.fine",
        "zoo.inner",
        "zoo.inner.deep",
        "zoo.lacks",
        "zoo.leaves",
        "zoo.zz_last",
    ]
    found = smoke.imported(names, tmp_path)
    told = {name: found[name] for name in names}
    assert told.pop("zoo.lacks").startswith("ImportError: cannot import name 'never' from 'zoo.inner'")
    assert told.pop("zoo.leaves") == "SystemExit: no device"
    assert told.pop("zoo.ends") == "the process ended with code 3"
    assert set(told.values()) == {None}
    executed = smoke.depends(tmp_path)
    assert executed["zoo/inner/deep.py"] == ["", "called"]
    assert {"zoo/lacks.py", "vllm_npu_cases/imports.py"} <= executed.keys()
    with pytest.raises(ModuleNotFoundError, match="no package nothing_here"):
        smoke.modules("nothing_here")


@pytest.mark.parametrize(("imports", "known"), [('imports = "cases.imports"\n', True), ("", False)])
def test_the_check_is_there_where_the_configuration_names_its_module(
    overlay: Path, run: Callable[..., Result], imports: str, known: bool
) -> None:
    with (overlay / "syncbot.toml").open("a") as file:
        file.write(f'[simulate]\ncheck = "cases"\ncases = {{ one = ["v1"] }}\n{imports}')
    assert ("'imports'" in run("verify", "--check", "importz").output) is known
