"""Names of classes whose metaclass answers for them."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class Mode:\n    GONE = 1\n"
META = "class Meta(type):\n    {}\nclass Mode(metaclass=Meta): ...\n"
USE = "from lib.a import Mode\nx = Mode.GONE\n"


@pytest.mark.parametrize("method", ["__getattr__", "__getattribute__"])
def test_a_metaclass_that_answers(method: str) -> None:
    new = META.format(f"def {method}(cls, name): ...")
    assert compare(OLD, new, USE) == ["attribute-removed lib.a.Mode.GONE at-risk 2 GONE"]
    derived = new.replace("class Mode", "class Base") + "class Mode(Base): ...\n"
    assert compare(OLD, derived, USE) == ["attribute-removed lib.a.Mode.GONE at-risk 2 GONE"]


@pytest.mark.parametrize(
    "new", [META.format("def __call__(cls): ..."), "class Mode:\n    def __getattr__(self, n): ...\n"]
)
def test_what_answers_for_objects_alone(new: str) -> None:
    assert compare(OLD, new, USE) == ["attribute-removed lib.a.Mode.GONE breaks 2 GONE"]
