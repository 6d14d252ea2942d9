"""Function bodies as statements, and what changes of one say of another."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.contracts.normalised_bodies import Edit, concerning, edits, resemblance, statements
from tests.contracts.world import text

LINES = st.lists(st.sampled_from(["a = 1", "b = 2", "c(a)", "return a", "pass"]), max_size=8)


def _statements(source: str) -> tuple[str, ...]:
    code = text(source).encode()
    return statements(code, 1, len(code.splitlines()))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a = 1\n", ("a = 1",)),
        ("'''What it does.'''\na = 1\n", ("a = 1",)),
        ("a = 1  # why\n# more\n", ("a = 1",)),
        ("a = f(\n    1,\n    2,\n)\n", ("a = f(1, 2)",)),
        ("...\n", ()),
        ("if a:\n    b\nelse:\n    c\n", ("if a:", "b", "c")),
        ("for x in y:\n    z(x)\n", ("for x in y:", "z(x)")),
        ("while a:\n    b()\n", ("while a:", "b()")),
        ("with a as b, c:\n    d()\n", ("with a as b, c:", "d()")),
        ("try:\n    a()\nexcept E:\n    b()\nfinally:\n    c()\n", ("try:", "a()", "b()", "c()")),
        ("match a:\n    case 1:\n        b()\n", ("match:", "b()")),
        ("def inner():\n    return 1\nreturn inner\n", ("def inner", "return 1", "return inner")),
    ],
)
def test_statements_of_a_function(body: str, expected: tuple[str, ...]) -> None:
    source = "def f():\n" + "".join(f"    {line}\n" for line in body.splitlines())
    assert _statements(source) == expected
    assert _statements("async " + source) == expected


@pytest.mark.parametrize("source", ["", "x = 1\n", "class A: ...\n", "def f(:\n    pass\n", "    )\n"])
def test_lines_that_are_no_function_have_none(source: str) -> None:
    assert _statements(source) == ()


def test_a_method_is_cut_out_of_its_class() -> None:
    source = b"class A:\n    def f(self):\n        a = 1\n        return a\n\n    def g(self):\n        b()\n"
    assert statements(source, 2, 4) == ("a = 1", "return a")
    assert statements(source, 6, 7) == ("b()",)


def test_a_decorated_function_is_read_from_its_def() -> None:
    source = b"@wraps(g)\ndef f():\n    a = 1\n"
    assert statements(source, 2, 3) == ("a = 1",)


def test_text_in_quotes_keeps_its_line_breaks_apart_from_layout() -> None:
    one, other = _statements('def f():\n    x = """a\n    b"""\n'), _statements('def f():\n    x = "a"\n')
    assert one != other
    assert len(one) == 1


@pytest.mark.parametrize(
    ("copy", "original", "expected"),
    [
        ("abcd", "abcd", 1.0),
        ("abcd", "dcba", 1.0),
        ("abxy", "abcd", 0.5),
        ("abcdefgh", "abcd", 0.5),
        ("", "abcd", 0.0),
        ("abcd", "", 0.0),
        ("aaaa", "abcd", 0.25),
    ],
)
def test_resemblance(copy: str, original: str, expected: float) -> None:
    assert resemblance(copy, original) == expected


def test_edits_know_what_stands_around_them() -> None:
    assert edits(["a", "b", "c"], ["a", "x", "c"]) == [Edit(("b",), ("x",), "a", "c")]
    assert edits(["a", "c"], ["a", "b", "c"]) == [Edit((), ("b",), "a", "c")]
    assert edits(["a"], ["a", "b"]) == [Edit((), ("b",), "a", "")]
    assert edits(["a"], []) == [Edit(("a",), (), "", "")]


@pytest.mark.parametrize(
    ("old", "new", "copy", "expected"),
    [
        ("abc", "axc", "abc", [("b", "x")]),
        ("abc", "ac", "abc", [("b", "")]),
        ("abc", "axc", "azc", []),
        ("abc", "axc", "axc", []),
        ("abc", "axbc", "abc", [("", "x")]),
        ("abc", "axbc", "axbc", []),
        ("abc", "axbc", "azc", []),
        ("abc", "abcx", "abc", [("", "x")]),
        ("abc", "axyc", "abc", [("b", "x")]),
        ("abc", "abc", "abc", []),
    ],
)
def test_changes_that_concern_a_copy(old: str, new: str, copy: str, expected: list[tuple[str, str]]) -> None:
    assert concerning(edits(old, new), copy) == expected


def test_lines_that_stand_everywhere_concern_nobody() -> None:
    changes = edits(["a", "pass", "return"], ["a", "continue"])
    assert concerning(changes, ["a", "pass", "return"]) == []


@given(LINES, LINES)
def test_nothing_concerns_a_copy_that_followed(old: list[str], new: list[str]) -> None:
    gone = set(old) - set(new)
    found = concerning(edits(old, new), new)
    assert all(lost not in gone for lost, _ in found)
    assert concerning(edits(old, old), new) == []


@given(LINES, LINES)
def test_resemblance_is_a_share_and_symmetric(one: list[str], other: list[str]) -> None:
    share = resemblance(one, other)
    assert 0.0 <= share <= 1.0
    if one and other:
        assert share == resemblance(other, one)
        assert (share == 1.0) == (sorted(one) == sorted(other))


@given(LINES)
def test_statements_survive_layout(lines: list[str]) -> None:
    plain = "def f():\n    start()\n" + "".join(f"    {line}\n" for line in lines)
    loose = "def f():\n\n    # note\n    start( )\n" + "".join(f"\n    {line}  # note\n" for line in lines)
    assert _statements(plain) == _statements(loose)
    assert len(_statements(plain)) == len(ast.parse(plain).body[0].body)  # type: ignore[attr-defined]
