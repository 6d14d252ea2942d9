"""Objects that are made of upstream's classes."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "from abc import ABC, abstractmethod\nclass T(ABC):\n    def m(self): ...\nclass C(T): ...\n"
NEW = OLD.replace("    def m", "    @abstractmethod\n    def m")


@pytest.mark.parametrize("class_", ["T", "C"])
def test_a_class_with_an_abstract_method(class_: str) -> None:
    backend = f"from lib.a import {class_}\ndef g():\n    return {class_}()\n"
    assert compare(OLD, NEW, backend) == ["abstract-method-added lib.a.T.m breaks 3 m"]


@pytest.mark.parametrize(
    ("old", "new", "body"),
    [
        pytest.param(OLD, NEW.replace("(ABC)", ""), "return T()", id="not abstract without its base"),
        pytest.param(OLD, NEW.replace("C(T): ...", "C(T):\n    def m(self): ..."), "return C()", id="given"),
        pytest.param(NEW, NEW.replace("m(", "n("), "return T()", id="was abstract"),
        pytest.param(OLD, NEW, "return T", id="not made"),
        pytest.param(OLD, NEW.replace("C(T)", "C(Unseen, T)"), "return C()", id="a base that may have it"),
        pytest.param(OLD, NEW.replace("class T", "@registered\nclass T"), "return T()", id="a decorator"),
        pytest.param(OLD, NEW + "    def __new__(cls): ...\n", "return C()", id="chosen now"),
        pytest.param(
            OLD, "from elsewhere import X\n" + NEW.replace("C(T)", "C(X, T)"), "return C()", id="maybe given"
        ),
        pytest.param(OLD, NEW, "try:\n        T()\n    except TypeError:\n        pass", id="caught"),
        pytest.param(
            OLD.replace("    def m", "    def __new__(cls): ...\n    def m"),
            NEW.replace("    @a", "    def __new__(cls): ...\n    @a"),
            "return T()",
            id="chosen by the class",
        ),
    ],
)
def test_an_object_that_can_be_made(old: str, new: str, body: str) -> None:
    assert not [
        row for row in compare(old, new, f"from lib.a import *\ndef g():\n    {body}\n") if "breaks" in row
    ]
