"""Attributes that the code itself sets before it reads them."""

from __future__ import annotations

import textwrap

import pytest

from tests.contracts.world import compare

OLD = "class Box:\n    size = 0\n    other = 0\n"
NEW = "class Box:\n    other = 0\n"
GONE = "attribute-removed lib.a.Box.size"


def told(body: str) -> list[str]:
    text = "from lib.a import Box\n\n\ndef use(box: Box, boxes: list[Box], flag: bool):\n"
    found = compare(OLD, NEW, text + textwrap.indent(textwrap.dedent(body), "    "))
    return [line for line in found if line.startswith(GONE) and " breaks " in line]


@pytest.mark.parametrize(
    "body",
    [
        "box.size = 1\nreturn box.size\n",
        "box.size: int = 1\nreturn box.size\n",
        "box.size, box.other = 1, 2\nreturn box.size\n",
        "box.other, box.size = 1, 2\nreturn box.size\n",
        "box.size = box.other = 1\nif flag:\n    print(box.size)\n",
        "box.size = 1\nwith open('x') as f:\n    f.write(box.size)\n",
        "for one in boxes:\n    one.size = 1\n    print(one.size)\n",
        "made = Box()\nmade.size = 1\nfor i in range(3):\n    print(made.size)\n",
    ],
)
def test_what_was_set_is_there(body: str) -> None:
    assert told(body) == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("if flag:\n    box.size = 1\nreturn box.size\n", id="only sometimes"),
        pytest.param("print(box.size)\nbox.size = 1\n", id="read first"),
        pytest.param("box.size = 1\nbox = Box()\nreturn box.size\n", id="another object"),
        pytest.param("box.size = 1\nfor box in boxes:\n    print(box.size)\n", id="a loop's object"),
        pytest.param(
            "box.size = 1\nwhile flag:\n    print(box.size)\n    box = Box()\n", id="the next round"
        ),
        pytest.param("box.size = 1\ndel box.size\nprint(box.size)\n", id="deleted"),
        pytest.param("box.size = box.size + 1\n", id="read to be set"),
        pytest.param("box.other = 1\nprint(box.size)\n", id="another attribute"),
        pytest.param("box.size = 1\ndef late(box: Box):\n    return box.size\n", id="another function"),
        pytest.param("if flag:\n    box.size = 1\nelse:\n    print(box.size)\n", id="the other branch"),
        pytest.param("box.size: int\nprint(box.size)\n", id="declared only"),
        pytest.param("box.size += 1\nprint(box.size)\n", id="added to"),
    ],
)
def test_what_was_not_surely_set_is_gone(body: str) -> None:
    assert told(body) != []


GIVEN = "from lib import a\n\n\ndef test(monkeypatch):\n    {given}\n    assert a.f() == 1\n"


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ("monkeypatch.setattr(a, 'f', lambda: 1, raising=False)", "at-risk"),
        ("setattr(a, 'f', lambda: 1)", "at-risk"),
        ("monkeypatch.setattr(a, 'g', lambda: 1, raising=False)", "breaks"),
        ("monkeypatch.setattr(b, 'f', lambda: 1, raising=False)", "breaks"),
        ("pass", "breaks"),
    ],
)
def test_what_a_test_puts_there_whether_it_is_there_or_not(given: str, verdict: str) -> None:
    rows = compare("def f():\n    return 1\n", "def g():\n    return 1\n", GIVEN.format(given=given))
    assert [row.split()[2] for row in rows if row.split()[3] == "6"] == [verdict]


INSIDE = "from lib import a\n\n\ndef test(mp):\n    {given}\n\n    def load({taken}):\n        return a.f()\n\n    {later}\n"


@pytest.mark.parametrize(
    ("given", "taken", "later", "verdict"),
    [
        ("a.f = len", "", "load()", "at-risk"),
        ("mp.setattr(a, 'f', len, raising=False)", "", "load()", "at-risk"),
        ("pass", "", "a.f = len", "breaks"),
        ("pass", "", "load()", "breaks"),
    ],
)
def test_a_function_inside_reads_what_was_set_before_it(
    given: str, taken: str, later: str, verdict: str
) -> None:
    text = INSIDE.format(given=given, taken=taken, later=later)
    rows = compare("def f():\n    return 1\n", "def g():\n    return 1\n", text)
    assert [r.split()[2] for r in rows if r.split()[3] == "8"] == [verdict]


def test_a_function_inside_takes_something_else_of_that_name() -> None:
    old = "class A:\n    def __init__(self):\n        self.x = 1\n"
    own = "from lib.a import A\n\ndef outer(a: A):\n    a.x = 2\n\n    def inner({}):\n        return a.x\n"
    new = old.replace("self.x", "self.y")
    for taken, verdict in (("", "at-risk"), ("a: A", "breaks")):
        rows = compare(old, new, own.format(taken))
        assert [r.split()[2] for r in rows if r.split()[3] == "7"] == [verdict]
