"""Files as modules: where packages stand, which file wins, what changes, what was looked at."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.api.cache import TableCache
from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable
from syncbot.api.tree import ModuleTree, look, modules_of, package_roots


def tree(files: Mapping[str, str], *packages: str) -> ModuleTree:
    """A tree whose blobs are their own texts."""
    tables = TableCache(None, "modules", "1", extract, ModuleTable)
    return ModuleTree(files, packages or ("engine",), tables, str.encode)


def test_paths_become_modules() -> None:
    found = tree({
        "engine/__init__.py": "", "engine/a/__init__.py": "", "engine/a/b.py": "x = 1\n", "engine/c.txt": "",
        "engines/d.py": "", "setup.py": "", "docs/engine.md": "",
    })  # fmt: skip
    assert {name: found.path(name) for name in found.modules} == {
        "engine": "engine/__init__.py",
        "engine.a": "engine/a/__init__.py",
        "engine.a.b": "engine/a/b.py",
    }
    table = found.table("engine.a.b")
    assert table is not None
    assert table.variables[0].name == "x"
    assert found.source("engine.a.b") == found.blob("engine.a.b").encode() == b"x = 1\n"  # type: ignore[union-attr]
    assert found.table("engine.nothing") is found.source("engine.nothing") is found.path("other") is None


@pytest.mark.parametrize(
    ("files", "root"),
    [
        (("engine/__init__.py",), ""),
        (("src/engine/__init__.py", "src/engine/a.py"), "src/"),
        (("python/lib/engine/__init__.py",), "python/lib/"),
        (("engine/a.py", "vendor/engine/__init__.py"), ""),
        (("examples/deep/engine/__init__.py", "src/engine/__init__.py"), "src/"),
        (("tests/engine/test_a.py", "src/engine/__init__.py"), "src/"),
        (("engine.py",), ""),
        (("src/engine.py",), "src/"),
        (("other/__init__.py", "my_engine/__init__.py"), None),
        (("engine/data.json",), None),
    ],
)
def test_the_folder_a_package_stands_in(files: tuple[str, ...], root: str | None) -> None:
    expected = {} if root is None else {"engine": root}
    assert package_roots(dict.fromkeys(files, ""), ("engine",)) == expected


def test_a_single_file_is_a_module() -> None:
    found = tree({"engine.py": "x = 1\n", "setup.py": ""})
    assert list(found.modules) == ["engine"]
    assert not found.is_package("engine")


def test_packages_hide_modules_and_sources_hide_stubs() -> None:
    found = tree({
        "engine/__init__.py": "", "engine/a.py": "", "engine/a/__init__.py": "",
        "engine/b.pyi": "", "engine/b.py": "", "engine/c.pyi": "",
    })  # fmt: skip
    assert [found.path(f"engine.{name}") for name in "abc"] == [
        "engine/a/__init__.py", "engine/b.py", "engine/c.pyi"
    ]  # fmt: skip


def test_folders_without_an_init_are_packages_too() -> None:
    found = tree({"engine/__init__.py": "", "engine/plain/deep/a.py": ""})
    for name in ("engine.plain", "engine.plain.deep"):
        assert found.exists(name)
        assert found.is_package(name)
        assert found.table(name) is None
    assert not found.exists("engine.plai")


def test_owning_is_by_the_top_name() -> None:
    found = tree({"engine/__init__.py": ""})
    assert found.owns("engine")
    assert found.owns("engine.nothing.here")
    assert not found.owns("engines.a")


@pytest.mark.parametrize(
    ("module", "level", "target", "absolute"),
    [
        ("engine.a.b", 0, "os.path", "os.path"),
        ("engine.a.b", 1, "c", "engine.a.c"),
        ("engine.a.b", 1, "", "engine.a"),
        ("engine.a.b", 2, "c.d", "engine.c.d"),
        ("engine.a", 1, "c", "engine.a.c"),
        ("engine.a", 2, "c", "engine.c"),
        ("engine", 1, "c", "engine.c"),
        ("engine.plain", 1, "a", "engine.plain.a"),
        ("engine.a.b", 9, "c", "c"),
    ],
)
def test_relative_imports(module: str, level: int, target: str, absolute: str) -> None:
    found = tree({
        "engine/__init__.py": "", "engine/a/__init__.py": "", "engine/a/b.py": "", "engine/plain/a.py": ""
    })  # fmt: skip
    assert found.absolute(module, level, target) == absolute


def test_mentioning_reads_texts() -> None:
    found = tree({"engine/__init__.py": "", "engine/a.py": "f(1)\n", "engine/b.py": "ff (1)\ng(2)\n"})
    modules = ["engine.b", "engine.a", "engine.gone"]
    assert found.mentioning(modules, "f(") == ["engine.a"]
    assert found.mentioning(modules, "f(", "g(") == ["engine.b", "engine.a"]
    assert found.mentioning(modules) == []


# What was looked at


def test_recordings_hold_every_look_and_nest() -> None:
    found = tree({"engine/__init__.py": "", "engine/a.py": ""})
    outer = found.start_recording()
    found.table("engine.a")
    inner = found.start_recording()
    found.exists("engine.gone")
    found.mentioning(["engine"], "x")
    found.stop_recording(inner)
    found.note(["engine.noted"])
    found.table_for("engine.a", "name")
    found.stop_recording(outer)
    found.table("engine")
    assert inner == {look("engine.gone")}
    assert outer == {"engine.a", look("engine.gone"), look("engine.a", "name"), "engine.noted"}
    assert modules_of(outer) == {"engine.a", "engine.gone", "engine.noted"}


def test_equal_recordings_are_ended_one_by_one() -> None:
    found = tree({"engine/__init__.py": ""})
    one, two = found.start_recording(), found.start_recording()
    found.stop_recording(one)
    found.exists("engine")
    assert (one, two) == (set(), {look("engine")})


# Changes

PATHS = [
    f"engine/{path}"
    for path in ("__init__.py", "a.py", "a.pyi", "a/__init__.py", "a/b.py", "a/b/c.py", "d.py", "e.txt")
]
FILES = st.dictionaries(st.sampled_from(PATHS[1:]), st.sampled_from(("x = 1\n", "y = 2\n")))


@given(FILES, FILES)
def test_a_changed_tree_is_the_tree_of_the_changed_files(
    before: dict[str, str], after: dict[str, str]
) -> None:
    base = {"engine/__init__.py": ""}
    changes: dict[str, str | None] = {path: None for path in before if path not in after}
    changes |= {path: blob for path, blob in after.items() if before.get(path) != blob}
    changed = tree({**base, **before}).changed(changes)
    fresh = tree({**base, **after})
    assert changed.modules == fresh.modules
    assert all(changed.exists(n) == fresh.exists(n) for n in ("engine.a", "engine.a.b", "engine.d"))
    assert changed.is_package("engine.a") == fresh.is_package("engine.a")


def test_a_changed_tree_leaves_the_first_alone() -> None:
    first = tree({"engine/__init__.py": "", "engine/a.py": ""})
    second = first.changed({"engine/a.py": None, "engine/b.py": "x = 1\n", "elsewhere/c.py": ""})
    assert sorted(first.modules) == ["engine", "engine.a"]
    assert sorted(second.modules) == ["engine", "engine.b"]
