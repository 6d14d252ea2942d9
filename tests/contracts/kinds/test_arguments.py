"""One call, one parameter list before and after: what is told of it, parameter by parameter."""

from __future__ import annotations

import pytest

from tests.contracts.world import audits, findings

CALL = "from lib.a import f\n\n"


@pytest.mark.parametrize(
    ("before", "after", "call", "expected"),
    [
        # removed
        ("a, b=1", "a", "f(1, b=2)", ["parameter-removed b"]),
        ("a, b=1", "a", "f(1, 2)", ["parameter-removed 1"]),
        ("a, b=1", "a", "f(1)", []),
        ("a, b=1", "a, **k", "f(1, b=2)", []),
        ("a, b=1", "a, *k", "f(1, 2)", []),
        # added
        ("a", "a, b", "f(1)", ["parameter-added b"]),
        ("a", "a, *, b", "f(1)", ["parameter-added b"]),
        ("a", "a, b=None", "f(1)", []),
        ("a", "a, *, b=None", "f(1)", []),
        # made required, made optional
        ("a, b=1", "a, b", "f(1)", ["parameter-required b"]),
        ("a, b=1", "a, b", "f(1, 2)", []),
        ("a, b", "a, b=1", "f(1, 2)", []),
        # defaults and annotations break no call
        ("a, b=1", "a, b=2", "f(1)", []),
        ("a: int", "a: str", "f(1)", []),
        # renamed
        ("a, b", "a, c", "f(1, b=2)", ["parameter-added c", "parameter-renamed b"]),
        ("a, b", "a, c", "f(1, 2)", []),
        ("a, b=1", "a, c=1", "f(1, b=2)", ["parameter-renamed b"]),
        ("a, b: bool = True", "c: bool = True, a=0", "f(1, b=2)", ["parameter-renamed b"]),
        ("a, b: bool = True", "c: bool = False, a=0", "f(1, b=2)", ["parameter-removed b"]),
        # order
        ("a, b", "b, a", "f(1, 2)", ["parameter-reordered a"]),
        ("a, b", "b, a", "f(a=1, b=2)", []),
        ("a, b", "b, a=0", "f(1, b=2)", ["parameter-reordered b"]),
        ("a, b", "b, a", "f(1, b=2)", ["parameter-reordered b", "parameter-required a"]),
        ("a, b, c=0, d=0", "a, c=0, d=0", "f(1, 2, 3)", ["parameter-reordered b"]),
        ("a, c=0", "a, b=0, c=0", "f(1, 2)", ["parameter-reordered c"]),
        ("a, c=0", "a, b=0, c=0", "f(1, c=2)", []),
        ("a, b", "x, b", "f(1, 2)", []),
        # a new one that follows has the name of the lost one, where an old one that follows has it by chance
        ("row_ids", "all, row_ids_np=0", "f(1)", ["parameter-reordered row_ids"]),
        ("row_ids, row_ids_np", "all, row_ids_np", "f(1, 2)", []),
        # renamed in its place, and the old name kept as an alias
        ("a='', b=1", "c='', b=1, a=None", "f('x')", []),
        ("a='', b=1", "c='', b=1, a=None", "f('x', 2)", []),
        ("a=None", "c=None, a=UNSET", "f(x)", []),
        ("a: str = ''", "c: str = '', *, a: str | None = None", "f('x')", []),
        ("a='', b=1", "c='', b=1, a=''", "f('x')", ["parameter-reordered a"]),
        ("a='', b=1", "c='', b=1, a='y'", "f('x')", ["parameter-reordered a"]),
        ("a='', b=1", "c=0, b=1, a=None", "f('x')", ["parameter-reordered a"]),
        ("a: str = ''", "c: int = '', a: str = None", "f(x)", ["parameter-reordered a"]),
        ("a", "c, a=None", "f(1)", ["parameter-reordered a"]),
        ("a='', b=''", "b='', a=None", "f('x')", ["parameter-reordered a"]),
        ("a='', b=1", "c='', d=0, a=None, b=1", "f('x', 2)", ["parameter-reordered b"]),
        # kinds of parameters
        ("a, b", "a, *, b", "f(1, 2)", ["parameter-removed 1", "parameter-required b"]),
        ("a, b", "a, *, b", "f(1, b=2)", []),
        ("a, b", "a, b, /", "f(1, b=2)", ["parameter-removed b", "parameter-required b"]),
        ("a, b", "a, b, /", "f(1, 2)", []),
        ("a, b", "a, b, /, **k", "f(1, 2, b=3)", []),
        ("a, /", "a", "f(1)", []),
        # what is passed cannot be counted
        ("a, b=1", "a, b", "f(*x)", []),
        ("a, b=1", "a, b", "f(**x)", []),
        ("a, b=1", "a", "f(*x, b=1)", ["parameter-removed b"]),
        ("a, b=1", "a", "f(b=1, **x)", ["parameter-removed b"]),
        # it did not bind before either
        ("a", "a, b", "f()", []),
        ("a, **k", "a, b=0", "f(1, 2)", []),
    ],
)
def test_one_call_and_one_parameter_list(before: str, after: str, call: str, expected: list[str]) -> None:
    told = findings(f"def f({before}): ...\n", f"def f({after}): ...\n", f"{CALL}{call}\n")
    found = [f for f in told if f.contract.kind == "call"]
    shown = [f"{f.kind} {f.subject}" for f in found]
    assert sorted(shown) == expected, [f.reason for f in found]
    assert {f.contract.place.location.line for f in found} <= {3}
    assert {str(f.verdict) for f in found} <= {"breaks"}


def test_the_audit_says_which_calls_one_tree_does_not_take() -> None:
    old, new = "def f(a, b): ...\n", "def f(a, *, c): ...\n"
    assert audits(new, old, f"{CALL}f(1, 2)\n") == ["3: lib.a.f() takes at most 1, requires c"]
    assert audits("def f(b, a=0): ...\n", old, f"{CALL}f(1, b=2)\n") == ["3: lib.a.f() is given twice b"]
    assert audits(old, old, f"{CALL}f(1, 2)\n") == []
