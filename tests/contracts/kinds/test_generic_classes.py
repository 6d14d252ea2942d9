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
