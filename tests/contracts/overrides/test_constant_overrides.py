"""Overrides that only give a constant, where upstream asks for it no more."""

from __future__ import annotations

import pytest

from tests.contracts.world import findings

BASE = "class Base:\n    def wide(self):\n        a = 1\n        return a + 2\n"
ASKS = "def use(base: Base):\n    return base.wide()\n"
OWN = "from lib.a import Base\nclass Mine(Base):\n    {above}def wide(self):\n        {body}\n"
NEW = "class Base: ...\n"


def told(body: str, above: str = "", new: str = NEW, call: str = "") -> list[str]:
    """The verdicts on the override, with what is said of constants."""
    found = findings(BASE + ASKS, new, OWN.format(body=body, above=above) + call)
    return [f"{f.verdict}{' constant' if 'tell a constant' in f.reason else ''}" for f in found]


@pytest.mark.parametrize(
    "body",
    [
        *("return True", "return False", "return 'text'", "return 1", "return -1", "return []", "return {}"),
        *("return ()", '"""Why."""\n        return True'),
    ],
)
def test_what_only_gives_a_constant_is_a_risk(body: str) -> None:
    assert told(body) == ["at-risk constant"]
    assert told(body, "@property\n    ") == ["at-risk constant"]


@pytest.mark.parametrize("body", ["pass", "return", "return None", '"""Why."""\n        return None'])
def test_what_does_nothing_is_said_once(body: str) -> None:
    assert told(body) == ["at-risk"]


@pytest.mark.parametrize(
    "body",
    [
        *(
            "return self.x",
            "return [self]",
            "return ['a']",
            "return {'a': 1}",
            "return set()",
            "return -self",
        ),
        *("self.x = 1\n        return True", "print(1)", "yield 1", "return (yield)", "raise ValueError"),
        "if self:\n            return True\n        return False",
    ],
)
def test_what_does_anything_else_is_dead(body: str) -> None:
    assert told(body) == ["breaks"]


def test_a_decorator_may_do_something() -> None:
    assert told("return True", "@register\n    ") == ["breaks"]
    assert told("return True", "@classmethod\n    ") == ["at-risk constant"]


def test_upstream_asks_under_another_name() -> None:
    assert told("return True", new=(BASE + ASKS).replace("wide", "broad")) == ["breaks"]


def test_what_is_doubted_already_stays_as_it_is() -> None:
    assert told("return True", call="    def go(self):\n        return self.wide()\n") == ["at-risk"]
    assert [str(f.verdict) for f in findings(BASE, NEW, OWN.format(above="", body="return True"))] == [
        "at-risk"
    ]
