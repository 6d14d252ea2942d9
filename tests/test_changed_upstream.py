"""The benchmarks that change in upstream what a plugin asks of it, on a small plugin."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from syncbot.errors import UsageError

ROOT = Path(__file__).resolve().parents[1]
UPSTREAM = """
class Tool:
    size_of_it = 1
    def turn_it(self, by_angle=0): ...
    def append(self, thing_put=1): ...

def make_one(by_angle=0): ...

def work(tool: Tool):
    tool.turn_it()
    tool.turn_it(*(a for a in []))
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
DERIVED = """
from up.core import Tool, make_one

class Mine(Tool):
    def turn_it(self, by_angle=0): ...

class Open(Tool):
    def turn_it(self, **rest): ...

class Apart:
    def turn_it(self): ...

class Other(object):
    def turn_it(self): ...

def use(rest):
    make_one(1)
    make_one(**rest)
"""


def _module(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    spec = importlib.util.spec_from_file_location(name, ROOT / f"benchmarks/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the module that both benchmarks share."""
    return _module("changed_upstream", monkeypatch)


@pytest.fixture
def renamed(changed: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The benchmark that renames."""
    assert changed
    return _module("renamed_upstream", monkeypatch)


@pytest.fixture
def demanding(changed: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The benchmark that lets functions ask for more."""
    assert changed
    return _module("demanding_upstream", monkeypatch)


def _write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _found(changed: ModuleType, change: Any, plugin: Path, folder: Path) -> dict[Any, str]:
    changed.repository(folder / "old", ("up",), change.text, folder / "upstream")
    pair = changed.Pair("one", "plugin", "1", "", "up", ("up",), "1", "2")
    told = changed.checked(pair, plugin, folder / "upstream", ROOT, folder / "out.json")
    found: dict[Any, str] = changed.verdicts(change.asked, told)
    return found


@pytest.mark.long
def test_what_is_renamed_is_told_where_it_is_of_upstream(
    renamed: ModuleType, changed: ModuleType, tmp_path: Path
) -> None:
    plugin = _write(tmp_path / "plugin", {"own/__init__.py": "", "own/use.py": PLUGIN})
    old = _write(tmp_path / "old", {"up/__init__.py": "", "up/core.py": UPSTREAM})
    change = renamed.renaming(plugin, old, ("up",))
    assert change.names == {"size_of_it", "turn_it", "by_angle"}
    assert {(each.line, each.name) for each in change.asked} == {
        (6, "size_of_it"), (7, "turn_it"), (8, "size_of_it"), (12, "by_angle"),
    }  # fmt: skip

    found = _found(changed, change, plugin, tmp_path)
    assert {(a.line, a.name): verdict for a, verdict in found.items()} == {
        (6, "size_of_it"): "breaks", (7, "turn_it"): "breaks", (8, "size_of_it"): "",
        (12, "by_angle"): "breaks",
    }  # fmt: skip
    lines = list(changed.table(found, 9, frozenset({"other"})))
    assert lines[0] == "attributes: 2 breaks, 0 at-risk, 0 drift, 1 not told"
    # Nothing shows that this object is of upstream.
    assert lines[-1] == "not told attribute other: own/use.py:8 size_of_it"


@pytest.mark.long
def test_what_asks_for_more_is_told_where_it_is_of_upstream(
    demanding: ModuleType, changed: ModuleType, tmp_path: Path
) -> None:
    plugin = _write(tmp_path / "plugin", {"own/__init__.py": "", "own/use.py": DERIVED})
    old = _write(tmp_path / "old", {"up/__init__.py": "", "up/core.py": UPSTREAM})
    change = demanding.one_more(plugin, old, ("up",))
    assert {(each.kind, each.line, each.name) for each in change.asked} == {
        ("method", 5, "turn_it"), ("method", 14, "turn_it"), ("call", 17, "make_one"),
    }  # fmt: skip

    found = _found(changed, change, plugin, tmp_path)
    assert {(a.line, verdict) for a, verdict in found.items()} == {(5, "breaks"), (14, ""), (17, "breaks")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def turn(a, b=1): ...\n", "def turn(a, b=1, *, newly_required): ...\n"),
        ("def turn(*a, **b): ...\n", "def turn(*a, newly_required, **b): ...\n"),
        ("def turn(): ...\n", "def turn(*, newly_required): ...\n"),
        ("@property\ndef turn(self): ...\n", "@property\ndef turn(self): ...\n"),
        ("x.turn(1,\n    2,\n)\n", "x.turn(1,\n    2,\nnewly_required=None)\n"),
        ("turn()\n", "turn(newly_required=None)\n"),
        ("turn(a for a in b)\n", "turn(a for a in b)\n"),
        ("turning(1)\n", "turning(1)\n"),
        ("def turn(\n", "def turn(\n"),
    ],
)
def test_a_function_and_its_calls_have_one_parameter_more(
    demanding: ModuleType, text: str, expected: str
) -> None:
    assert demanding.demanding(frozenset({"turn"}), text) == expected


def test_a_folder_without_python_is_refused(renamed: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no Python package"):
        tuple(renamed.asked_in(tmp_path, ("up",)))
