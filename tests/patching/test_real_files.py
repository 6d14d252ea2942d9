"""Every rewrite with random arguments on files of real releases: a few here, all by the script itself."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import click
import packaging
import pytest

from syncbot.patching.registry import rules


def _script(name: str) -> ModuleType:
    file = Path(__file__).parents[2] / "benchmarks" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


rewrites_fuzz = _script("rewrites_fuzz")
rewrites_identity = _script("rewrites_identity")


@pytest.mark.long
def test_on_files_of_installed_releases_nothing_crashes_and_nothing_is_lost() -> None:
    folders = [Path(package.__file__).parent for package in (click, packaging)]
    small = sorted(
        (len(text), path, text) for folder in folders for path, text in rewrites_fuzz.files_of(folder)
    )[4:9]
    result = rewrites_fuzz.run([(path, text) for _, path, text in small], draws=1, seed=7)
    assert result.wrong == []
    assert result.counts["changed"] > 40
    assert len(result.changed) > len(rules()) / 3


def test_what_is_not_held_is_told() -> None:
    class Wrong:
        name = "wrong"

        def model_dump_json(self, **_: object) -> str:
            return "{}"

        def forward(self, source: object) -> str:
            return "x  =\n"

    result = rewrites_fuzz.Result()
    rewrites_fuzz.hold(Wrong(), rewrites_fuzz.Source("x = 1\n"), result)
    assert "is no Python any more" in result.wrong[0]


def test_forward_and_back_is_where_a_file_was() -> None:
    texts = rewrites_identity.texts_of(Path(packaging.__file__).parent)
    names = [n for n in rewrites_identity.names_of(texts | SAMPLE) if n.module == "pkg.base"]
    assert [n.dotted for n in names] == ["pkg.base.Base", "pkg.base.make"]
    result = rewrites_identity.run(SAMPLE, names)
    assert result.wrong == []
    assert len(result.changed) == 8


SAMPLE = {
    "pkg/base.py": "class Base:\n    def go(self, x): ...\n\n\ndef make(a): ...\n\n\ndef _inner(): ...\n",
    "pkg/use.py": (
        "import pkg.base\nfrom pkg.base import Base, make  # both\n\nPLACES = ['pkg.base.make']\n\n\n"
        "class Mine( Base ):\n    def go(self,  x):\n        return make( 1 )\n\n\n"
        "def told(base: Base):\n    return base.go(pkg.base.make(2))\n"
    ),
}
