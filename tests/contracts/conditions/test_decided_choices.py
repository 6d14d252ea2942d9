"""Texts in which tests of the version are decided."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from syncbot.contracts.conditions.decided_choices import decided
from syncbot.contracts.conditions.guards import VersionTests
from syncbot.contracts.conditions.turned_off_spans import turned_off


def decided_on(text: str, version: str) -> str:
    tests = VersionTests('is_("{version}")', Version(version))
    source = text.encode()
    return decided(source, turned_off(source, "m", "m.py", tests, frozenset())).decode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = a if is_('1.0') else b\n", "x = b"),
        ("x = a if not is_('1.0') else b\n", "x = a"),
        ("f(**({} if is_('1.0') else {'k': 1}))\n", "f(**{'k': 1})"),
        ("x = a if is_('1.0') else b if is_('2.0') else c\n", "x = b"),
        ("x = ((a if is_('2.0') else b) if is_('1.0') else (c\n  + d))\n", "x = c + d"),
        ("x = (a) if is_('1.0') else (b\n  + c)\n", "x = b + c"),
        ("x = 'ä' if is_('1.0') else é, a if is_('2.0') else b\n", "x = (é, a)"),
        ("x = a if t else b\n", "x = a if t else b"),
        ("if is_('1.0'):\n    x = 1\n", "if is_('1.0'):\n    x = 1"),
    ],
)
def test_what_is_chosen_stands_alone(text: str, expected: str) -> None:
    assert ast.unparse(ast.parse(decided_on(text, "2.0"))) == expected


CHOICES = st.recursive(
    st.sampled_from(["a", "(b)", "f(1)", "'ö'", "[1,\n 2]"]),
    lambda inner: st.builds("({} if is_('{}.0') else\n {})".format, inner, st.sampled_from("123"), inner),
    max_leaves=6,
)


@given(CHOICES, st.sampled_from("123"))
def test_everything_keeps_its_place(choice: str, version: str) -> None:
    text = f"x = {choice}\ny = last\n"
    told = decided_on(text, f"{version}.0")
    assert len(told.encode()) == len(text.encode())
    assert told.splitlines()[-1] == "y = last"
    assert "is_(" not in told
    # What is left is what Python would have chosen.
    kept = {node.id for node in ast.walk(ast.parse(told)) if isinstance(node, ast.Name)}
    assert kept <= {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
