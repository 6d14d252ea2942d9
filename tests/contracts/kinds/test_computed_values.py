"""Computations with results and fields that have another built-in type now."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

BOTH = "def f() -> {0}: ...\nasync def later() -> {0}: ...\nclass T:\n    n: {0}\n"


def verdicts(old: str, new: str, body: str) -> set[str]:
    """The verdicts of all findings, where each ``VALUE`` is a result, and where it is a field."""
    found = set()
    for value in ("f()", "(await later())", "t.n"):
        function = f"async def g(t: T, other):\n    {body.replace('VALUE', value)}\n"
        rows = compare(BOTH.format(old), BOTH.format(new), f"from lib.a import *\n{function}")
        found.add("breaks" if any(" breaks " in row for row in rows) else "none")
    return found


@pytest.mark.parametrize(
    ("old", "new", "body"),
    [
        ("int", "list[int]", "return VALUE + 1"),
        ("int", "list[int]", "return 1 + VALUE"),
        ("int", "list[int] | None", "return VALUE * 2 - 1"),
        ("int", "list[int]", "return VALUE > -1"),
        ("int", "List[int]", "return range(0, VALUE)"),
        ("int", "dict[str, int]", "return int(VALUE)"),
        ("int", "list[int]", "return [1, 2][VALUE]"),
        ("int", "list[int]", "return f'{VALUE:d}'"),
        ("float", "str", "return f'{VALUE:.2f}'"),
        ("str", "int", "return 'a' + VALUE"),
        ("str", "int", "return 'a' in VALUE"),
        ("str", "list[str]", "return VALUE + '.txt'"),
        ("list[str]", "int", "return ', '.join(VALUE)"),
        ("list[int]", "dict[int, int]", "return VALUE + [1]"),
        ("int", "float", "return 'a' * VALUE"),
        ("dict[str, int]", "list[int]", "return dict(**VALUE)"),
    ],
)
def test_what_the_new_type_refuses(old: str, new: str, body: str) -> None:
    expected = {"none"} if new == "float" else {"breaks"}
    assert verdicts(old, new, body) == expected
    assert verdicts(new, old, body) == {"none"}


@pytest.mark.parametrize(
    ("old", "new", "body"),
    [
        ("int", "list[int]", "return VALUE * 2"),
        ("int", "list[int]", "return VALUE + other"),
        ("int", "list[int]", "return VALUE == 1"),
        ("int", "list[int]", "return f'{VALUE}'"),
        ("int", "list[int] | int", "return VALUE + 1"),
        ("int", "Any", "return VALUE + 1"),
        ("int", "str", "return int(VALUE)"),
        ("int", "str", "return VALUE % 2"),
        ("int", "float", "return VALUE / 2"),
        ("int", "float", "return VALUE & 1"),
        ("list[int]", "tuple[int, ...]", "return VALUE < other"),
        ("list[int]", "dict[int, int]", "return 1 in VALUE"),
        ("int", "str", "return f'{VALUE:99999999999d}'"),
    ],
)
def test_what_it_allows_or_may_allow(old: str, new: str, body: str) -> None:
    assert verdicts(old, new, body) == {"none"}


@pytest.mark.parametrize(
    "body",
    [
        "n = t.n\n    return n + 1 if isinstance(n, int) else n",
        "n = f()\n    return n + 1 if isinstance(n, int) else n",
        "if isinstance(t.n, int):\n        return t.n + 1",
        "return t.n + 1 if type(t.n) is int else 0",
        "if not isinstance(t.n, int):\n        return 0\n    return t.n + 1",
        "try:\n        return t.n + 1\n    except TypeError:\n        return 0",
        "try:\n        return f() + 1\n    except TypeError:\n        return 0",
    ],
)
def test_values_whose_type_is_told_apart(body: str) -> None:
    assert verdicts("int", "list[int]", body) == {"none"}


@pytest.mark.parametrize(
    ("line", "breaks"),
    [("t.n += 1", True), ("t.n *= 2", False), ("t.n += other", False), ("t.n = 1", False)],
)
def test_a_field_that_is_changed_in_place(line: str, breaks: bool) -> None:
    assert verdicts("int", "list[int]", line) == ({"breaks"} if breaks else {"none"})
    assert verdicts("int", "int", line) == {"none"}
