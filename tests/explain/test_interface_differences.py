from __future__ import annotations

import pytest

from syncbot.api.extract import extract
from syncbot.explain.interface_differences import Change, module_changes, moved, nodes


def changes(old: str, new: str) -> list[str]:
    found = module_changes("m", extract(old.encode()), extract(new.encode()))
    return [f"{c.kind} {c.symbol} {c.detail}".strip() for c in found]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("def f(a, b=1): ...", "def f(a): ...", ["parameter-removed m.f b"]),
        ("def f(a): ...", "def f(a, b): ...", ["parameter-added m.f b (required)"]),
        ("def f(a): ...", "def f(a, *, b=2): ...", ["parameter-added m.f b (default 2)"]),
        ("def f(a): ...", "def f(a, **kw): ...", ["parameter-added m.f **kw"]),
        ("def f(a=1): ...", "def f(a=2): ...", ["default-changed m.f a: 1 → 2"]),
        ("def f(a): ...", "def f(*, a): ...", ["parameter-kind-changed m.f a"]),
        ("def f(a, b): ...", "def f(b, a): ...", ["parameters-reordered m.f (a, b) → (b, a)"]),
        ("def f(): ...", "async def f(): ...", ["async-changed m.f now async"]),
        ("class A(B): x = 1", "class A(C): x = 1", ["bases-changed m.A (B) → (C)"]),
        ("class A:\n def g(self): ...", "class A:\n def h(self): ...",
         ["removed m.A.g function", "added m.A.h function"]),
        ("class A:\n def __init__(self): self.x = 1", "class A:\n def __init__(self): self.y = 1",
         ["removed m.A.x attribute set in __init__", "added m.A.y attribute set in __init__"]),
        ("X = 1", "X = 2", ["value-changed m.X 1 → 2"]),
        ("X = 1", "def X(): ...", ["redefined m.X variable → function"]),
        ("def f():\n    return 1", "# moved down\n\ndef f():\n    return 2", []),
        ("def f(a: int): ...", "def f(a: 'int'): ...", []),
    ],
)  # fmt: skip
def test_what_changed(old: str, new: str, expected: list[str]) -> None:
    assert changes(old, new) == expected
    assert changes(new, new) == []


def told_as_moves(old: dict[str, str], new: dict[str, str]) -> list[Change]:
    before = {name: extract(text.encode()) for name, text in old.items()}
    after = {name: extract(text.encode()) for name, text in new.items()}
    found = [c for name in [*before, *after] for c in module_changes(name, before.get(name), after.get(name))]
    gone = {k: v for name, table in before.items() for k, v in nodes(name, table).items()}
    come = {k: v for name, table in after.items() for k, v in nodes(name, table).items()}
    return moved(found, gone, come)


def test_a_definition_that_goes_to_another_module_moved_and_what_else_changed_is_told() -> None:
    found = told_as_moves({"a": "class K:\n def f(self, x): ..."}, {"b": "class K:\n def f(self): ..."})
    assert found == [Change("moved", "b.K", "from a.K"), Change("parameter-removed", "b.K.f", "x")]


def test_constants_of_one_name_and_different_values_did_not_move() -> None:
    assert [c.kind for c in told_as_moves({"a": "LIMIT = 1"}, {"b": "LIMIT = 2"})] == ["removed", "added"]
    assert [c.kind for c in told_as_moves({"a": "LIMIT = 1"}, {"b": "LIMIT = 1"})] == ["moved"]
