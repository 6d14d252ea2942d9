from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.api.differences import Difference, differences
from syncbot.api.extract import extract


def compared(old: str, new: str) -> list[Difference]:
    return list(differences(extract(old.encode()), extract(new.encode())))


def kinds(old: str, new: str) -> list[tuple[str, str]]:
    return [(d.kind, d.symbol) for d in compared(old, new)]


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("a, b", "a", {("removed", "b")}),
        ("a, b", "a, **rest", {("absorbed", "b"), ("optional", "**rest")}),
        ("a", "a, b", {("required", "b")}),
        ("a", "a, b=1", {("optional", "b")}),
        ("a, b=1", "a, b", {("now-required", "b")}),
        ("a, b=1", "a, b=2", {("default", "b: 1 → 2")}),
        ("a, b", "b, a", {("reordered", "b, a")}),
        ("a, b", "a, *, b", {("keyword-only", "b")}),
        ("a, *, b", "a, b", set()),
        ("a", "a: int", set()),
    ],
)
def test_parameters(old: str, new: str, parts: set[tuple[str, str]]) -> None:
    found = compared(f"def f({old}): ...\n", f"def f({new}): ...\n")
    assert {part for d in found for part in d.parts} == parts
    assert [d.kind for d in found] == (["signature"] if parts else [])
    if found:
        assert found[0].before == f"f({old})"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "def f(): ...", [("function-added", "f")]),
        ("class A: ...", "", [("class-removed", "A")]),
        ("class A:\n def f(self): ...", "class A:\n def g(self): ...", [("method-removed", "A.f"), ("method-added", "A.g")]),
        ("def f(): return 1", "def f(): return 2", [("body", "f")]),
        ("def f():\n  return 1", "def f():\n  # why\n  return 1", []),
        ("class A(B): ...", "class A(C): ...", [("bases", "A")]),
        ("class A:\n def f(self): ...", "class A:\n @property\n def f(self): ...", [("decorators", "A.f")]),
        ("class A:\n x = 1", "class A:\n x = 2", [("attribute-value", "A.x")]),
        ("@dataclass\nclass A:\n x: int = 1", "@dataclass\nclass A:\n y: int = 1", [("field-removed", "A.x"), ("field-added", "A.y")]),
        ("class A(BaseModel):\n x: int = 1", "class A(BaseModel):\n x: int = 2", [("field-value", "A.x")]),
        ("N = 1", "N = 2", [("variable-value", "N")]),
        ("if a:\n N = 1\nelse:\n N = 2", "if a:\n N = 1\nelse:\n N = 3", []),
        ("class A:\n def f(self): self.x = 1", "class A:\n def f(self): pass", [("body", "A.f"), ("assignment-removed", "A.x")]),
        ("class A:\n def f(self): self.x = 1", "class A:\n def g(self): self.x = 1", [("method-removed", "A.f"), ("method-added", "A.g")]),
        ("class A:\n def f(self): ...\n def g(self): self.f = 1", "class A:\n def g(self): self.x = 1", [("method-removed", "A.f"), ("body", "A.g")]),
        ("class A:\n class B:\n  def f(self): ...", "class A:\n class B: ...", [("method-removed", "A.B.f")]),
        ("def f(:", "", []),
    ],
)  # fmt: skip
def test_definitions(old: str, new: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(old + "\n", new + "\n") == expected


NAMES = st.sampled_from("abcd")
SOURCES = st.lists(
    st.builds("def {}({}): return {}\n".format, NAMES, NAMES, st.integers(0, 2))
    | st.builds("class {}:\n {} = {}\n".format, NAMES, NAMES, st.integers(0, 2)),
    max_size=4,
).map("".join)


@given(SOURCES)
def test_nothing_differs_from_itself(source: str) -> None:
    assert kinds(source, source) == []


@given(SOURCES, SOURCES)
def test_back_again_is_the_mirror_image(old: str, new: str) -> None:
    there, back = kinds(old, new), kinds(new, old)
    mirror = {"added": "removed", "removed": "added"}
    assert sorted(
        (f"{kind.rpartition('-')[0]}-{mirror[kind.rpartition('-')[2]]}" if kind.rpartition("-")[2] in mirror else kind, name)
        for kind, name in there
    ) == sorted(back)  # fmt: skip
