"""Which classes a class derives from, and who defines a member: as Python says, where Python can."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contracts.world import universe

NAMES = "ABCDEFGH"


@st.composite
def hierarchies(draw: st.DrawFn) -> str:
    """Classes that derive from some of the earlier ones; each defines some of a few methods."""
    lines: list[str] = []
    for index, name in enumerate(NAMES[: draw(st.integers(1, len(NAMES)))]):
        bases = draw(st.lists(st.sampled_from(NAMES[:index]), unique=True, max_size=3)) if index else []
        methods = draw(st.lists(st.sampled_from("xyz"), unique=True, max_size=3))
        body = [f"    def {m}(self): return '{name}'" for m in methods] or ["    pass"]
        lines += [f"class {name}({', '.join(bases)}):", *body]
    return "\n".join(lines) + "\n"


@given(hierarchies())
def test_the_order_is_pythons(source: str) -> None:
    namespace: dict[str, type] = {}
    try:
        exec(source, namespace)
    except TypeError:  # no consistent order exists
        namespace = {}
    lib = universe(source)
    for name in NAMES:
        symbol = lib.resolve(f"lib.a.{name}")
        if symbol is None:
            assert f"class {name}(" not in source
            continue
        found = lib.lineage(symbol)
        assert found.external == ()
        assert len({c.name for c in found.classes}) == len(found.classes)
        if name not in namespace:
            continue
        assert [c.qualname for c in found.classes] == [c.__name__ for c in namespace[name].__mro__[:-1]]
        for method in "xyz":
            member = lib.member(symbol, method)
            real = getattr(namespace[name], method, None)
            assert (member is None) == (real is None)
            if member is not None and real is not None:
                assert member.owner.qualname == real(None)


def lineage(source: str, name: str) -> tuple[list[str], list[str]]:
    lib = universe(source)
    symbol = lib.resolve(f"lib.a.{name}")
    assert symbol is not None
    found = lib.lineage(symbol)
    return [c.qualname for c in found.classes], list(found.external)


@pytest.mark.parametrize(
    ("source", "classes", "external"),
    [
        ("class C: ...\n", ["C"], []),
        ("class C(object): ...\n", ["C"], []),
        ("class C(C): ...\n", ["C"], ["C"]),
        ("from torch import C\nclass C(C): ...\n", ["C"], ["torch.C"]),
        ("class A(C): ...\nclass C(A): ...\n", ["C", "A"], []),
        ("class A: ...\nclass B(A): ...\nclass C(A, B): ...\n", ["C", "A", "B"], []),
        ("class C(Missing): ...\n", ["C"], ["Missing"]),
        ("import torch\nclass C(torch.nn.Module): ...\n", ["C"], ["torch.nn.Module"]),
        ("from torch import nn\nclass C(nn.Module): ...\n", ["C"], ["torch.nn.Module"]),
        ("from torch.nn import Module as M\nclass C(M): ...\n", ["C"], ["torch.nn.Module"]),
        ("from abc import ABC\nclass C(ABC): ...\n", ["C"], []),
        ("class B: ...\nclass C(B, Generic[T]): ...\n", ["C", "B"], []),
        ("class B(Generic[T]): ...\nclass C(B[int]): ...\n", ["C", "B"], []),
        ("class C(make_base()): ...\n", ["C"], ["make_base()"]),
        ("class B: ...\nD = B\nclass C(D): ...\n", ["C", "B"], []),
        ("def f(): ...\nclass C(f): ...\n", ["C"], ["f"]),
        ("if X:\n    class B: ...\nelse:\n    class B: ...\nclass C(B): ...\n", ["C", "B"], []),
    ],
)
def test_shapes(source: str, classes: list[str], external: list[str]) -> None:
    assert lineage(source, "C") == (classes, external)


def test_a_class_that_takes_the_name_of_its_base() -> None:
    lib = universe({"lib/a.py": "from lib.b import C\n\n\nclass C(C): ...\n", "lib/b.py": "class C: ...\n"})
    symbol = lib.resolve("lib.a.C")
    assert symbol is not None
    assert [c.name for c in lib.lineage(symbol).classes] == ["lib.a.C", "lib.b.C"]


def test_a_chain_longer_than_anybody_writes_ends() -> None:
    source = "class C0: ...\n" + "".join(f"class C{i}(C{i - 1}): ...\n" for i in range(1, 60))
    classes, _ = lineage(source, "C59")
    assert classes[:3] == ["C59", "C58", "C57"]
    assert len(classes) > 20


def test_members_behind_a_number_of_classes() -> None:
    source = "class A:\n    x = 1\n\n\nclass B(A):\n    x = 2\n\n\nclass C(B): ...\n"
    lib = universe(source)
    symbol = lib.resolve("lib.a.C")
    assert symbol is not None
    owners = [lib.member(symbol, "x", skip) for skip in range(4)]
    assert [m.owner.qualname if m else None for m in owners] == ["B", "B", "A", None]


@pytest.mark.parametrize(
    ("source", "open_"),
    [
        ("class C: ...\n", False),
        ("from abc import ABC\nclass C(ABC): ...\n", False),
        ("class C:\n    def __getattr__(self, name): ...\n", True),
        ("class B:\n    def __getattr__(self, name): ...\nclass C(B): ...\n", True),
        ("from torch import nn\nclass C(nn.Module): ...\n", True),
    ],
)
def test_classes_that_may_have_members_nobody_sees(source: str, open_: bool) -> None:
    lib = universe(source)
    symbol = lib.resolve("lib.a.C")
    assert symbol is not None
    assert lib.is_open(symbol) is open_
