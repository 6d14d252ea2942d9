"""Names that are read without scopes agree with libcst's scopes."""

from __future__ import annotations

from pathlib import Path

import click
import libcst as cst
import packaging
import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.patching import tree_walk
from syncbot.patching.node_text import dotted
from syncbot.patching.source import Source
from syncbot.patching.toplevel_names import PlainNames


def scoped(source: Source, node: cst.CSTNode, name: cst.CSTNode) -> frozenset[str] | None:
    scope = source.scopes.get(node)
    return None if scope is None else frozenset(n.name for n in scope.get_qualified_names_for(name))


def agree(text: str) -> set[str]:
    """The names that were read off; each of them as libcst has it."""
    source = Source(text)
    plain = PlainNames(source.module, source.index)
    told = set()
    for node, _ in tree_walk.nodes(source.module):
        if not isinstance(node, (cst.Name, cst.Attribute)):
            continue
        expected = scoped(source, node, node)
        found = plain.qualified(node)
        # Words that are no expressions, such as a keyword, have no scope, and nobody asks for them.
        if found is not None and (expected is not None or isinstance(node, cst.Attribute)):
            assert found == (expected or frozenset()), dotted(node)
            told.add(dotted(node) or "")
    for definition in (*source.index.classes, *source.index.functions):
        found = plain.qualified(definition.name)
        assert found in (None, scoped(source, definition, definition.name)), definition.name.value
    return told


PLAIN = """\
import os, sys as system
from pkg.base import Base, Thing as Other
if x:
    from pkg.more import More
else:
    from pkg.less import More


class Mine(Base[int], os.path.Like, More):
    def go(self, a: Other) -> "Base":
        Other.count = system.maxsize
        return Mine.go(self, a=Base)
"""


def test_imports_and_definitions_at_the_top_level_are_read_off() -> None:
    told = agree(PLAIN)
    assert {"Base", "os.path.Like", "More", "Other", "Other.count", "Mine.go", "system.maxsize"} <= told
    source = Source(PLAIN)
    (mine,) = source.index.classes
    assert source.qualified(mine.bases[2].value) == {"pkg.more.More", "pkg.less.More"}
    assert source.defined(mine) == {"Mine"}
    assert "scopes" not in vars(source)


BINDERS = [
    "def f(Base): Base",
    "def f():\n    from pkg.other import Base\n    Base",
    "class C:\n    Base = 1\n    Base",
    "class C:\n    def Base(self): ...",
    "Base = 1",
    "Base += 1",
    "Base: int",
    "(a, [*Base]) = 1",
    "for Base in x: ...",
    "[Base for Base in x]",
    "(Base := 1)",
    "with x as (Base, y): ...",
    "try: ...\nexcept x as Base: ...",
    "import pkg.Base as Base, Base.inner",
    "from . import Base",
    "def f():\n    global Base\n    Base = 1",
    "def f(*, k=lambda Base: Base): ...",
    "match x:\n    case {'a': Base}: ...",
    "match x:\n    case [*Base]: ...",
    "match x:\n    case {**Base}: ...",
    "match x:\n    case int() as Base: ...",
    "type Base = int",
    "def f[Base](x: Base): ...",
    "def f[*Base, **Other](x: Base): ...",
    "del Base",
]


@pytest.mark.parametrize("binder", BINDERS)
def test_a_name_that_something_else_binds_is_left_to_the_scopes(binder: str) -> None:
    assert "Base" not in agree(f"from pkg.base import Base\n{binder}\nBase\n")


def test_what_a_module_brings_along_is_left_to_the_scopes() -> None:
    assert agree("import a.b\nimport a.c as d\na.b.X\nd.Y\n") == {"d", "d.Y"}
    assert agree("from x import *\nfrom y import Z\nZ.one\nW\n") == {"Z", "Z.one"}


@given(st.lists(st.sampled_from(["import Base", "from p.q import Base, x", *BINDERS, PLAIN]), max_size=4))
def test_on_any_mixture_they_agree(parts: list[str]) -> None:
    agree("\n".join([*parts, "Base.attribute", "class Last(Base, x.y): ...", ""]))


BACKEND = Path(__file__).parents[2] / "backend" / "src"


@pytest.mark.long
@pytest.mark.parametrize("folder", [*(Path(p.__file__).parent for p in (click, packaging)), BACKEND])
def test_on_real_files_they_agree(folder: Path) -> None:
    files = sorted(folder.rglob("*.py"))
    texts = sorted((file.read_text(encoding="utf-8") for file in files), key=len)
    assert all(agree(text) for text in texts[len(texts) // 4 : len(texts) // 2])
