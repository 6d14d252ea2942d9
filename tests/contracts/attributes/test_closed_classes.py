"""Writes to an object whose class no longer declares the attribute: some classes refuse them."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

USE = "from lib.a import Box\n\n\ndef use(box: Box):\n    box.size = 1\n"


def told(class_: str) -> list[str]:
    """Return the findings on a line that sets ``size`` when the class loses that attribute."""
    old = f"from __future__ import annotations\n{class_}"
    return compare(old, old.replace("size", "width"), USE)


@pytest.mark.parametrize(
    "class_",
    [
        "from pydantic import BaseModel\nclass Box(BaseModel):\n    size: int = 1\n",
        "import pydantic\nclass Base(pydantic.BaseModel): ...\nclass Box(Base):\n    size: int = 1\n",
        "import msgspec\nclass Box(msgspec.Struct, kw_only=True):\n    size: int = 1\n",
        "class Box:\n    __slots__ = ('size',)\n    def __init__(self):\n        self.size = 1\n",
        "from dataclasses import dataclass\n@dataclass(slots=True)\nclass Box:\n    size: int = 1\n",
    ],
)
def test_who_refuses_it(class_: str) -> None:
    assert told(class_) == ["attribute-removed lib.a.Box.size breaks 5 size"]


@pytest.mark.parametrize(
    "class_",
    [
        "class Box:\n    size: int = 1\n",
        "from dataclasses import dataclass\n@dataclass\nclass Box:\n    size: int = 1\n",
        "from pydantic import BaseModel\nclass Box(BaseModel, extra='allow'):\n    size: int = 1\n",
        "from pydantic import BaseModel, ConfigDict\nclass Box(BaseModel):\n"
        "    model_config = ConfigDict(extra='allow')\n    size: int = 1\n",
        "from pydantic import BaseModel\nclass Box(BaseModel):\n    size: int = 1\n"
        "    class Config:\n        extra = 'allow'\n",
        "import msgspec\nclass Box(msgspec.Struct, dict=True):\n    size: int = 1\n",
        "class Base: ...\nclass Box(Base):\n    __slots__ = ('size',)\n    def __init__(self):\n"
        "        self.size = 1\n",
        "class Box:\n    __slots__ = ('size', '__dict__')\n    def __init__(self):\n        self.size = 1\n",
        "class Box:\n    __slots__ = ('size',)\n    def __init__(self):\n        self.size = 1\n"
        "    def __setattr__(self, name, value): ...\n",
    ],
)
def test_who_may_take_it(class_: str) -> None:
    assert told(class_) == ["attribute-removed lib.a.Box.size at-risk 5 size"]


def test_what_a_class_in_a_class_declares() -> None:
    old = (
        "class Whole:\n    class Part:\n        size: int = 1\n    part: Part\n\nclass Part:\n    other = 1\n"
    )
    use = "from lib.a import Whole\n\n\ndef use(whole: Whole):\n    return whole.part.size\n"
    found = compare(old, old.replace("size", "width"), use)
    assert found == ["attribute-removed lib.a.Whole.Part.size breaks 5 size"]
    assert compare(old, old.replace("other", "width"), use) == []
