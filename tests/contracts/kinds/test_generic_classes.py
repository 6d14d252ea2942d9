"""Type arguments that are given to upstream's classes."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass B(Generic[T]): ...\nclass D(B[T]): ...\n"
NEW = "class B: ...\nclass D(B): ...\n"
TOLD = ["type-changed lib.a.{} breaks 2"]


@pytest.mark.parametrize("class_", ["B", "D"])
@pytest.mark.parametrize("body", ["class M({}[int]): ...", "M = {}[int]", "def g(x: {}[int]): ..."])
def test_a_class_that_is_not_generic_any_more(class_: str, body: str) -> None:
    assert compare(OLD, NEW, f"from lib.a import *\n{body.format(class_)}\n") == [TOLD[0].format(class_)]


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(OLD.replace("'T'", "'T', bound=int"), id="generic still"),
        pytest.param("class B[T]: ...\n", id="in newer words"),
        pytest.param("class B:\n    def __class_getitem__(cls, key): ...\n", id="by itself"),
        pytest.param("class Meta(type): ...\nclass B(metaclass=Meta): ...\n", id="a metaclass"),
        pytest.param("from elsewhere import Base\nclass B(Base): ...\n", id="a base that nobody sees"),
    ],
)
def test_a_class_that_may_be_generic(new: str) -> None:
    assert compare(OLD, new, "from lib.a import *\nclass M(B[int]): ...\n") == []


@pytest.mark.parametrize(
    "head", ["from __future__ import annotations\n", "from typing import TYPE_CHECKING\n"]
)
def test_annotations_that_nobody_evaluates(head: str) -> None:
    body = "def g(x: B[int]): ...\n" if "annotations" in head else "if TYPE_CHECKING:\n    X = B[int]\n"
    assert not [row for row in compare(OLD, NEW, f"{head}from lib.a import *\n{body}") if "breaks" in row]


ONE = "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass B(Generic[T]): ...\n"
TWO = ONE.replace("class", "U = TypeVar('U')\nclass").replace("[T]", "[T, U]")


@pytest.mark.parametrize(("old", "new", "given"), [(ONE, TWO, "int"), (TWO, ONE, "int, str")])
def test_another_number_of_type_arguments(old: str, new: str, given: str) -> None:
    own = f"from lib.a import B\nclass M(B[{given}]): ...\n"
    assert compare(old, new, own) == ["type-changed lib.a.B breaks 2"]


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(TWO.replace("'U'", "'U', default=int"), id="one has a default"),
        pytest.param(TWO.replace("TypeVar('U')", "ParamSpec('U')"), id="parameters of a function"),
        pytest.param(TWO.replace("[T, U]", "[T, *U]"), id="any number"),
        pytest.param(TWO + "    def __class_getitem__(cls, key): ...\n", id="by itself"),
        pytest.param(TWO.replace("class", "@made\nclass"), id="a decorator"),
        pytest.param("class B[T, U = int]: ...\n", id="in newer words"),
    ],
)
def test_a_number_of_type_arguments_that_may_fit(new: str) -> None:
    assert compare(ONE, new, "from lib.a import B\nclass M(B[int]): ...\n") == []
