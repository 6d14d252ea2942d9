"""The kinds of change and their details: each is explained, given by a judge, and of use to somebody."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from syncbot.contracts.change_texts import explained
from syncbot.contracts.changes import (
    AnyDetails,
    ChangeKind,
    Details,
    MemberDetails,
    NameDetails,
    NoDetails,
    require_family,
)

ROOT = Path(__file__).parents[2]
FAMILIES: tuple[type[Details], ...] = get_args(AnyDetails)
FIELDS = [(family.__name__, name) for family in FAMILIES for name in family.__struct_fields__]


@cache
def nodes() -> list[ast.AST]:
    """All nodes of the product's files that name a kind or ask for details, but for the enumeration itself."""
    files = (ROOT / "syncbot").rglob("*.py")
    texts = [f.read_text(encoding="utf-8") for f in files if f.name != "changes.py"]
    asking = re.compile("|".join(("ChangeKind", r"details\b", *(family.__name__ for family in FAMILIES))))
    return [node for text in texts if asking.search(text) for node in ast.walk(ast.parse(text))]


def test_the_page_has_a_section_for_every_kind() -> None:
    page = (ROOT / "docs" / "kinds.md").read_text(encoding="utf-8")
    assert [line[3:] for line in page.splitlines() if line.startswith("## ")] == list(ChangeKind)
    assert all(text.did and text.todo and text.ours for text in explained().values())


def test_every_kind_is_given_by_a_judge_and_every_family_by_a_kind() -> None:
    used = {n.attr for n in nodes() if isinstance(n, ast.Attribute) and _is_named(n.value, "ChangeKind")}
    assert {kind.name for kind in ChangeKind} == used
    assert {family for kind in ChangeKind for family in kind.families} == set(FAMILIES)
    assert all(kind.families for kind in ChangeKind)


@pytest.mark.parametrize(("family", "name"), FIELDS)
def test_every_field_of_details_is_written_and_read(family: str, name: str) -> None:
    written, read = _used()
    assert name in written[family]
    assert name in read[family]


def test_a_kind_refuses_details_of_another_family() -> None:
    require_family(ChangeKind.SYMBOL_MOVED, NameDetails(old="up.a", new="up.b"))
    for details in (MemberDetails(name="a"), NoDetails()):
        with pytest.raises(TypeError, match=r"^symbol-renamed does not carry"):
            require_family(ChangeKind.SYMBOL_RENAMED, details)


@cache
def _used() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The fields that calls of each class give, and those that patterns, readers and the class itself ask for."""
    written: dict[str, set[str]] = defaultdict(set)
    read: dict[str, set[str]] = defaultdict(set)
    own = ast.parse((ROOT / "syncbot/contracts/changes.py").read_text(encoding="utf-8"))
    for node in nodes():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            written[node.func.id].update(k.arg for k in node.keywords if k.arg)
        elif isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name):
            read[node.cls.id].update(node.kwd_attrs)
    # Of what is asked of ``details`` outside a pattern, mypy holds the class.
    asked = {n.attr for n in nodes() if isinstance(n, ast.Attribute) and _is_named(n.value, "details")}
    for node in own.body:
        if isinstance(node, ast.ClassDef):
            inside = {
                n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute) and _is_named(n.value, "self")
            }
            read[node.name] |= inside | asked
    return written, read


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
