"""The benchmark that renames in upstream what a plugin asks of it, on a small plugin."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from syncbot.errors import UsageError

ROOT = Path(__file__).resolve().parents[1]
UPSTREAM = """
class Tool:
    size_of_it = 1
    def turn_it(self, by_angle=0): ...
    def append(self, thing_put=1): ...

def make_one(by_angle=0): ...
"""
PLUGIN = """
import json
from up.core import Tool, make_one

def use(tool: Tool, other):
    tool.size_of_it
    tool.turn_it(by_angle=1)
    other.size_of_it
    json.size_of_it
    tool.append(1)
    tool.mine_alone
    make_one(by_angle=2)
    if version_is("1"):
        tool.size_of_it

class Own:
    mine_alone = 1
"""


@pytest.fixture
def renamed(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The benchmark's module."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    spec = importlib.util.spec_from_file_location("renamed_upstream", ROOT / "benchmarks/renamed_upstream.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "renamed_upstream", module)
    spec.loader.exec_module(module)
    return module


def _write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_what_is_renamed_is_told_where_it_is_of_upstream(renamed: ModuleType, tmp_path: Path) -> None:
    plugin = _write(tmp_path / "plugin", {"own/__init__.py": "", "own/use.py": PLUGIN})
    old = _write(tmp_path / "old", {"up/__init__.py": "", "up/core.py": UPSTREAM})
    asked = tuple(renamed.asked_in(plugin, ("up",)))
    names = renamed.renamed_names(asked, plugin, old)
    assert names == {"attribute": {"size_of_it", "turn_it"}, "keyword": {"by_angle"}}
    wanted = [each for each in asked if each.name in names[each.kind]]
    assert {(each.line, each.name) for each in wanted} == {
        (6, "size_of_it"), (7, "turn_it"), (7, "by_angle"), (8, "size_of_it"), (12, "by_angle"),
    }  # fmt: skip

    renamed.repository(old, ("up",), set().union(*names.values()), tmp_path / "upstream")
    pair = renamed.Pair("one", "plugin", "1", "", "up", ("up",), "1", "2")
    told = renamed.checked(pair, plugin, tmp_path / "upstream", ROOT, tmp_path / "out.json")
    verdicts = {(a.line, a.name): verdict for a, verdict in renamed.verdicts(wanted, told).items()}
    assert verdicts == {
        (6, "size_of_it"): "breaks", (7, "turn_it"): "breaks", (7, "by_angle"): "",
        (8, "size_of_it"): "at-risk", (12, "by_angle"): "breaks",
    }  # fmt: skip
    lines = list(renamed.table(renamed.verdicts(wanted, told), 9, frozenset({"other"})))
    assert lines[0] == "attributes: 2 breaks, 1 at-risk, 0 drift, 0 not told"
    assert lines[-1] == "at-risk attribute other: own/use.py:8 size_of_it"


def test_a_folder_without_python_is_refused(renamed: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no Python package"):
        tuple(renamed.asked_in(tmp_path, ("up",)))
