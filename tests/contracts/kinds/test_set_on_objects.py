"""Attributes that are set on upstream's objects."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

DATA = "from dataclasses import dataclass\n@dataclass\nclass T:\n    x: int = 1\n"
FROZEN = DATA.replace("@dataclass", "@dataclass(frozen=True)")
TUPLE = "from typing import NamedTuple\nclass T(NamedTuple):\n    x: int = 1\n"
STRUCT = "import msgspec\nclass T(msgspec.Struct):\n    x: int = 1\n"
MODEL = "from pydantic import BaseModel\nclass T(BaseModel):\n    x: int = 1\n"
PLAIN = "class T:\n    def __init__(self):\n        self.x = 1\n"
SLOTS = PLAIN.replace(":\n", ":\n    __slots__ = ('x',)\n", 1)
USE = "from lib.a import T\ndef g(t: T):\n    {}\n"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (DATA, FROZEN, "t.x = 2"),
        (DATA, FROZEN, "t.x += 2"),
        (DATA, FROZEN, "setattr(t, 'x', 2)"),
        (DATA, FROZEN, "t.mine = 2"),
        (DATA, TUPLE, "t.x = 2"),
        (STRUCT, STRUCT.replace("Struct)", "Struct, frozen=True)"), "t.x = 2"),
        (MODEL, MODEL + "    model_config = ConfigDict(frozen=True)\n", "t.x = 2"),
        (DATA, STRUCT, "t.mine = 2"),
        (DATA, MODEL, "t.mine = 2"),
        (DATA, DATA.replace("@dataclass", "@dataclass(slots=True)"), "t.mine = 2"),
        (PLAIN, SLOTS, "t.mine = 2"),
    ],
)
def test_objects_that_do_not_take_it_any_more(old: str, new: str, line: str) -> None:
    name = "mine" if "mine" in line else "x"
    told = f"attribute-read-only lib.a.T.{name} {{}} {{}} {name}"
    assert compare(old, new, USE.format(line)) == [told.format("breaks", 3)]
    caught = f"try:\n        {line}\n    except AttributeError:\n        pass"
    assert compare(old, new, USE.format(caught)) == [told.format("at-risk", 4)]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        pytest.param(PLAIN, SLOTS, "t.x = 2", id="declared"),
        pytest.param(PLAIN, SLOTS.replace("'x',", "'x', 'mine'"), "t.mine = 2", id="a slot of its own"),
        pytest.param(PLAIN, SLOTS.replace("('x',)", "NAMES"), "t.mine = 2", id="slots that are not seen"),
        pytest.param(PLAIN, SLOTS + "class U(T): ...\n", "t.mine = 2", id="maybe of a class below"),
        pytest.param(PLAIN, SLOTS.replace("T:", "T(Base):"), "t.mine = 2", id="a base outside"),
        pytest.param(
            PLAIN, SLOTS + "    def __setattr__(self, n, v): ...\n", "t.mine = 2", id="it says itself"
        ),
        pytest.param(PLAIN, "@made\n" + SLOTS, "t.mine = 2", id="a decorator"),
        pytest.param(DATA, FROZEN, "object.__setattr__(t, 'x', 2)", id="past the class"),
        pytest.param(DATA, FROZEN, "T.x = 2", id="of the class"),
        pytest.param(FROZEN, TUPLE, "t.x = 2", id="never"),
        pytest.param(DATA, MODEL, "t._mine = 2", id="private to a model"),
    ],
)
def test_objects_that_may_take_it(old: str, new: str, line: str) -> None:
    assert not [row for row in compare(old, new, USE.format(line)) if row.startswith("attribute-read-only")]


def test_a_class_below_a_frozen_one_takes_what_is_no_field() -> None:
    below = "class U(T): ...\n"
    own = USE.replace("T", "U")
    assert compare(DATA + below, FROZEN + below, own.format("t.mine = 2")) == []
    assert [row.split()[2] for row in compare(DATA + below, FROZEN + below, own.format("t.x = 2"))] == [
        "breaks"
    ]


def test_objects_of_the_backends_own_class_take_it() -> None:
    own = "from lib.a import T\nclass M(T):\n    def g(self):\n        self.mine = 2\n"
    assert compare(PLAIN, SLOTS, own) == []


SETTER = (
    "    def __setattr__(self, key, value):\n        if key in {}:\n            raise AttributeError(key)\n"
)


@pytest.mark.parametrize(
    ("head", "tested", "told"),
    [
        ("", "('x', 'y')", True),
        ("KEYS = {'x'}\n", "KEYS", True),
        ("KEYS = {'x'}\nALL = {'y', *KEYS}\n", "ALL", True),
        ("", "('y',)", False),
        ("KEYS = {'y'}\nALL = {'z', *KEYS}\n", "ALL", False),
        ("ALL = {'x', *unknown()}\n", "ALL", False),
        ("ALL = {'x', *NUMBER}\nNUMBER = 1\n", "ALL", False),
    ],
)
def test_a_setter_of_the_class_that_raises(head: str, tested: str, told: bool) -> None:
    refusing = head + PLAIN + SETTER.format(tested)
    expected = ["attribute-read-only lib.a.T.x breaks 3 x"] if told else []
    assert compare(head + PLAIN, refusing, USE.format("t.x = 2")) == expected
    assert compare(refusing, refusing, USE.format("t.x = 2")) == []
    reads = USE.format("return t.x")
    assert compare(head + PLAIN, refusing, reads) == []
