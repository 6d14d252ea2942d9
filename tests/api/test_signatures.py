"""Arguments that calls of a class or function take, compared with Python's own answer for the same source."""

from __future__ import annotations

import inspect
import sys
import types

import pytest

from syncbot.api.cache import TableCache
from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable
from syncbot.api.signatures import Arguments, Signature, accepts, bind, constructor, function_signatures
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe

_KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "pos",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "any",
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.KEYWORD_ONLY: "key",
    inspect.Parameter.VAR_KEYWORD: "**",
}
HEAD = """
import abc, dataclasses, typing
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar
import msgspec
import pydantic
from pydantic import BaseModel, Field

T = TypeVar("T")
"""
Taken = list[tuple[str, str, bool]]


def read(source: str) -> Taken | None:
    """Name, kind and whether it is required of what ``lib.C`` takes, from the text alone."""
    tables = TableCache(None, "modules", "1", extract, ModuleTable)
    universe = Universe((ModuleTree.of_modules({"lib": ("lib.py", source)}, tables, str.encode),))
    symbol = universe.resolve("lib.C")
    assert symbol is not None
    found = constructor(universe, symbol)
    if found is None:
        return None
    (signature,) = found[0]
    return [(p.name, p.kind, p.required) for p in signature.parameters]


def run(source: str) -> Taken:
    """The same, as Python says."""
    module = types.ModuleType("lib")
    sys.modules["lib"] = module
    try:
        exec(compile(source, "lib", "exec", dont_inherit=True), module.__dict__)
        signature = inspect.signature(module.__dict__["C"])
    finally:
        del sys.modules["lib"]
    return [
        (p.name, _KINDS[p.kind],
         p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))
        for p in signature.parameters.values()
    ]  # fmt: skip


@pytest.mark.parametrize(
    "source",
    [
        "class C: ...",
        "class C:\n    def __init__(self, a, /, b=1, *c, d, e=2, **f): ...",
        "class B:\n    def __init__(self, a): ...\nclass C(B): ...",
        "class B:\n    def __init__(self, a): ...\nclass A:\n    def __init__(self, b): ...\nclass C(A, B): ...",
        "class C(Generic[T]):\n    x: int = 1",
        "class C(ABC):\n    def __init__(self, a): ...",
        "class C:\n    def __new__(cls, a, b=1): return super().__new__(cls)",
        "class B:\n    def __new__(cls, a): return super().__new__(cls)\nclass C(B): ...",
        "@dataclass\nclass C:\n    a: int\n    b: str = 'x'\n    c: list = field(default_factory=list)",
        "@dataclass\nclass C:\n    a: int = field(init=False)\n    b: int = field(default=1, kw_only=True)\n    c: int = 2",
        "@dataclass\nclass C:\n    a: ClassVar[int] = 1\n    b: 'ClassVar[int]' = 2\n    c: InitVar[int] = 3\n    d = 4",
        "@dataclass\nclass C:\n    a: int\n    _: KW_ONLY\n    b: int\n    c: int = 1",
        "@dataclass(kw_only=True)\nclass C:\n    a: int = 1\n    b: int",
        "@dataclasses.dataclass(frozen=True, slots=True)\nclass C:\n    a: int",
        "@dataclass\nclass B:\n    a: int\n    b: int = 1\n@dataclass\nclass C(B):\n    c: int = 2\n    a: int = 3",
        "@dataclass(kw_only=True)\nclass B:\n    a: int = 1\n@dataclass\nclass C(B):\n    b: int",
        "@dataclass\nclass B:\n    a: int\nclass C(B):\n    b: int = 1",
        "class B:\n    a: int\n@dataclass\nclass C(B):\n    b: int",
        "class B:\n    def __init__(self, z): ...\n@dataclass\nclass C(B):\n    b: int",
        "@dataclass\nclass C:\n    a: int\n    def __init__(self, b): ...",
        "@dataclass(init=False)\nclass C:\n    a: int\n    def __init__(self, b): ...",
        "@dataclass(init=False)\nclass C:\n    a: int",
        "@dataclass\nclass A:\n    a: int\n@dataclass\nclass B:\n    b: int\n@dataclass\nclass C(A, B):\n    c: int",
        "@dataclass\nclass C(Generic[T]):\n    a: T\n    def m(self):\n        self.z: int = 1",
        "@dataclass\nclass C:\n    a: int\n    if True:\n        b: int = 1",
        "class C(BaseModel):\n    a: int\n    b: int = 1\n    c: list = Field(default_factory=list)\n    d: int = Field(...)",
        "class B(BaseModel):\n    a: int\nclass C(B):\n    b: int = Field(1, ge=0)\n    c: ClassVar[int] = 3",
        "class C(pydantic.BaseModel):\n    a: int = pydantic.Field(default=1)",
        "class C(msgspec.Struct):\n    a: int\n    b: int = 1\n    c: list = msgspec.field(default_factory=list)",
        "class C(msgspec.Struct, kw_only=True):\n    a: int = 1\n    b: int",
        "class B:\n    a: int\nclass C(B, BaseModel):\n    b: int",
        "class B(BaseModel):\n    a: int\nclass C(B):\n    def __new__(cls, *args, **more): return super().__new__(cls)",
        "@dataclass(init=False)\nclass B:\n    a: int\n@dataclass\nclass C(B):\n    b: int",
        "class B:\n    def __init__(self, a): ...\n@dataclass(init=False)\nclass C(B):\n    b: int",
        "class B(msgspec.Struct):\n    a: int\nclass C(B):\n    b: int = 1",
    ],
)
def test_constructors(source: str) -> None:
    assert read(HEAD + source + "\n") == run(HEAD + source + "\n")


def test_a_named_tuple_takes_its_fields() -> None:
    """Python itself shows the parameters of a named tuple by another class."""
    assert read(HEAD + "class C(NamedTuple):\n    a: int\n    b: int = 1\n") == [
        ("a", "any", True),
        ("b", "any", False),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "import torch\nclass C(torch.nn.Module): ...",
        "class C(Exception): ...",
        "import enum\nclass C(enum.Enum):\n    A = 1",
        "class C(typing.TypedDict):\n    a: int",
        "class C(make_base()): ...",
    ],
)
def test_what_cannot_be_told(source: str) -> None:
    assert read(HEAD + source + "\n") is None


def test_overloads_give_way_to_the_implementation() -> None:
    functions = (
        extract(
            b"class C:\n    @overload\n    def f(self, a: int): ...\n    @typing.overload\n    def f(self, a: str): ...\n"
            b"    def f(self, a, b=1): ...\n"
        )
        .classes[0]
        .functions
    )
    assert [str(s) for s in function_signatures(functions, bound=True)] == ["(a, b=1)"]
    assert [str(s) for s in function_signatures(functions, bound=False)] == ["(self, a, b=1)"]


@pytest.mark.parametrize(
    ("call", "problems"),
    [
        (Arguments(1, ("c",)), []),
        (Arguments(0, ()), [("missing", "a"), ("missing", "c")]),
        (Arguments(3, ("c",)), [("too-many", "2")]),
        (Arguments(1, ("c", "z")), [("unexpected", "z")]),
        (Arguments(0, (), starred=True), [("missing", "c")]),
        (Arguments(0, (), double_starred=True), []),
        (Arguments(3, (), double_starred=True), [("too-many", "2")]),
        (Arguments(1, ("a", "c")), [("twice", "a")]),
    ],
)
def test_why_a_call_does_not_bind(call: Arguments, problems: list[tuple[str, str]]) -> None:
    (function,) = extract(b"def f(a, b=1, *, c): ...\n").functions
    assert [(p.kind, p.name) for p in bind(Signature(function.parameters), call)] == problems


@pytest.mark.parametrize(
    ("text", "names", "accepted"),
    [
        ("a, *, b", "ab", True),
        ("a, /", "a", False),
        ("**k", "abc", True),
        ("*a", "a", False),
        ("a", "", True),
    ],
)
def test_keywords_that_are_accepted(text: str, names: str, accepted: bool) -> None:
    (function,) = extract(f"def f({text}): ...\n".encode()).functions
    assert accepts(Signature(function.parameters), names) is accepted
