"""The names that modules define, told from their text alone."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.api.cache import TableCache
from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable
from syncbot.api.names import DefinedNames, NameIndex, defined_names
from syncbot.api.tree import ModuleTree


@given(st.binary(max_size=200))
def test_any_bytes_have_names(text: bytes) -> None:
    assert all(name.isidentifier() or name[0].isdigit() for name in defined_names(text))


@pytest.mark.long
def test_names_are_never_too_few() -> None:
    """Every method, attribute of ``self`` and annotated field of the standard library is among the names."""
    folder = Path(sysconfig.get_path("stdlib"))
    count = 0
    for path in sorted(folder.glob("*.py")):
        text = path.read_bytes()
        names, table = defined_names(text), extract(text)
        for class_ in table.classes:
            count += len(class_.functions)
            assert {f.name for f in class_.functions} <= names, (path, class_.name)
            annotated = {a.name for a in class_.attributes if a.annotation is not None and not a.origin}
            assert annotated <= names, (path, class_.name)
    assert count > 1000


@pytest.mark.parametrize(
    ("text", "name", "there"),
    [
        ("class C:\n    def run(self): ...\n", "run", True),
        ("class C:\n    size: int\n", "size", True),
        ("class C:\n    size = 1\n", "size", True),
        ("    self.size = 1\n", "size", True),
        ("    self.size: int = 1\n", "size", True),
        ("    cls.size = 1\n", "size", True),
        ("    self.a, self.b = 1, 2\n", "a", True),
        ("    x = self.size + 1\n", "size", False),
        ("    if x.size == 1: ...\n", "size", False),
        ("    size == 1\n", "size", False),
        ("# size\n", "size", False),
    ],
)
def test_names(text: str, name: str, there: bool) -> None:
    assert (name in defined_names(text.encode())) is there


def test_definitions_are_counted_by_module() -> None:
    files = {
        "engine/__init__.py": "",
        "engine/a.py": "class A:\n    def run(self): ...\n    def stop(self): ...\n",
        "engine/b.py": "class B:\n    def run(self): ...\nclass C:\n    def run(self): ...\n",
    }  # fmt: skip
    tables = TableCache(None, "modules", "1", extract, ModuleTable)
    modules = ModuleTree(files, ("engine",), tables, str.encode)
    names = DefinedNames(modules, NameIndex(TableCache(None, "names", "1", defined_names, frozenset[str])))
    counted = names.counted(["engine.a", "engine.b", "engine.gone"])
    assert (counted["run"], counted["stop"], counted["go"]) == (2, 1, 0)
    seen = modules.start_recording()
    assert names.homes(["engine.a", "engine.b"], "stop") == ["engine.a"]
    modules.stop_recording(seen)
    assert seen == {"engine.a"}
