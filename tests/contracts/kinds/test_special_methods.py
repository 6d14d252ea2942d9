"""Operators, statements and functions of Python's that upstream's objects no longer allow."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

USES = {
    "__len__": "return len(t)",
    "__call__": "return t()",
    "__iter__": "for x in t: ...",
    "__getitem__": "return t[0]",
    "__setitem__": "t[0] = 1",
    "__delitem__": "del t[0]",
    "__contains__": "return 1 in t",
    "__enter__": "with t: ...",
    "__sub__": "return t - 1",
    "__mod__": "return t % 2",
    "__add__": "return t + 2",
    "__rsub__": "return 2.5 - t",
    "__radd__": "return [1] + t",
    "__lt__": "return t < 2 < 3",
    "__ge__": "return 2 <= t",
    "__neg__": "return -t",
}
TUPLE = "from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n    y: int\n"
DATA = "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: int\n"
OF_TUPLES = ["p[0]", "x, y = p", "p._replace(x=1)", "p._asdict()", "len(p)", "print(*p)", "[q for q in p]"]


def breaks(old: str, new: str, line: str, type_: str = "T") -> list[str]:
    backend = f"import dataclasses\nfrom lib.a import *\ndef g({type_.lower()}: {type_}):\n    {line}\n"
    return [row for row in compare(old, new, backend) if " breaks " in row]


@pytest.mark.parametrize(("method", "line"), USES.items())
def test_a_special_method_that_is_gone(method: str, line: str) -> None:
    old = f"class T:\n    def {method}(self, *args): ...\n"
    assert breaks(old, "class T: ...\n", line) == [f"attribute-removed lib.a.T.{method} breaks 4 {method}"]


@pytest.mark.parametrize(("method", "line"), USES.items())
@pytest.mark.parametrize(
    "new",
    [
        "class T:\n    def __getattr__(self, name): ...\n    def {0}(self, *args): ...\n",
        "class Base:\n    def {0}(self, *args): ...\nclass T(Base): ...\n",
        "from elsewhere import Base\nclass T(Base): ...\n",
        "@adapted\nclass T: ...\n",
    ],
)
def test_a_class_that_may_have_it(method: str, line: str, new: str) -> None:
    old = f"class T:\n    def {method}(self, *args): ...\n"
    assert breaks(old, new.replace("{0}", method), line) == []


@pytest.mark.parametrize("line", ["for x in t: ...", "1 in t", "[x for x in t]"])
def test_what_serves_instead(line: str) -> None:
    old = "class T:\n    def __iter__(self): ...\n    def __contains__(self, x): ...\n"
    assert breaks(old, "class T:\n    def __getitem__(self, i): ...\n", line) == []


def test_the_right_operand_may_know_the_operator() -> None:
    old = "class T:\n    def __sub__(self, x): ...\n"
    assert breaks(old, "class T: ...\n", "return t - other") == []


@pytest.mark.parametrize(
    ("new", "other", "verdict"),
    [
        ("", "int", "breaks"),
        ("", "T", "breaks"),
        ("", "Mine", "breaks"),
        ("", "Able", "none"),
        ("", "Derived", "none"),
        ("", "", "at-risk"),
        ("    def __radd__(self, o): ...\n    def __gt__(self, o): ...\n", "Mine", "breaks"),
    ],
)
@pytest.mark.parametrize("sign", ["+", "<"])
def test_what_stands_beside_it(new: str, other: str, verdict: str, sign: str) -> None:
    old = "class T:\n    def __add__(self, o): ...\n    def __lt__(self, o): ...\n"
    backend = (
        "from elsewhere import Base\nfrom lib.a import T\nclass Mine: ...\nclass Derived(Base): ...\n"
        "class Able:\n    def __radd__(self, o): ...\n    def __gt__(self, o): ...\n"
        f"def g(t: T, other{': ' if other else ''}{other}):\n    return t {sign} other\n"
    )
    rows = compare(old, f"class T:\n    x = 1\n{new}", backend)
    assert [row.split()[2] for row in rows] == ([] if verdict == "none" else [verdict])


ORDERED = (
    "from functools import total_ordering\nfrom dataclasses import dataclass\n{0}\nclass T:\n    x: int\n"
)


@pytest.mark.parametrize("order", ["@total_ordering", "@dataclass(order=True)"])
@pytest.mark.parametrize("line", ["return t < 1", "return t >= t"])
def test_objects_that_a_decorator_orders(order: str, line: str) -> None:
    old, without = ORDERED.format(order), ORDERED.format("@dataclass(order=False)")
    method = "__lt__" if "<" in line else "__ge__"
    assert breaks(old, without, line) == [f"attribute-removed lib.a.T.{method} breaks 4 {method}"]
    assert breaks("class T:\n    def __lt__(self, o): ...\n    def __ge__(self, o): ...\n", old, line) == []
    assert breaks(without, old, line) == []


@pytest.mark.parametrize("line", OF_TUPLES)
def test_a_named_tuple_that_is_none_any_more(line: str) -> None:
    assert len(breaks(TUPLE, DATA, line, "P")) == 1
    assert breaks(TUPLE, TUPLE.replace("y: int", "y: str"), line, "P") == []
    assert breaks(DATA, TUPLE, line, "P") == []


@pytest.mark.parametrize(
    "line", ["dataclasses.replace(p, x=1)", "dataclasses.asdict(p)", "dataclasses.fields(P)"]
)
def test_a_data_class_that_is_none_any_more(line: str) -> None:
    struct = "import msgspec\nclass P(msgspec.Struct):\n    x: int\n    y: int\n"
    assert len(breaks(DATA, struct, line, "P")) == 1
    assert breaks(DATA, DATA.replace("@dataclass", "@dataclass(frozen=True)"), line, "P") == []
    assert breaks(DATA, "from elsewhere import Base\nclass P(Base): ...\n", line, "P") == []
    assert breaks(DATA, "@configured\nclass P:\n    x: int\n    y: int\n", line, "P") == []


@pytest.mark.parametrize("line", ["p.model_dump()", "P.model_validate({})"])
def test_a_model_that_is_none_any_more(line: str) -> None:
    model = "from pydantic import BaseModel\nclass P(BaseModel):\n    x: int\n"
    assert len(breaks(model, DATA, line, "P")) == 1
    assert breaks(model, DATA + "    def model_dump(self): ...\n    model_validate = 1\n", line, "P") == []
