"""Attributes that an upstream ``__getattr__`` answered for, and that nothing gives any more."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

ANSWER = "    def __getattr__(self, name): return getattr(self.env, name)\n"
OLD = f"class W:\n    def __init__(self, env): self.env = env\n{ANSWER}class Below(W): ...\n"
NEW = OLD.replace(ANSWER, "")
MINE = "from lib.a import Below, W\nclass Mine(Below):\n    def f(self):\n        {code}\n"


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        ("return self.grid", "breaks"),
        ("return self.step(1)", "breaks"),
        ("if hasattr(self, 'grid'):\n            return self.grid", "at-risk"),
        ("try:\n            self.grid\n        except AttributeError: ...", "at-risk"),
    ],
)
def test_what_nobody_answers_for_any_more(code: str, verdict: str) -> None:
    (told,) = compare(OLD, NEW, MINE.format(code=code))
    assert told.split()[:3] == ["attribute-removed", "lib.a.W.__getattr__", verdict]


def test_an_object_of_upstreams_class() -> None:
    told = compare(OLD, NEW, "from lib.a import Below\ndef f(w: Below):\n    return w.grid\n")
    assert told == ["attribute-removed lib.a.W.__getattr__ breaks 3 grid"]


@pytest.mark.parametrize(
    ("new", "code"),
    [
        (NEW, "return self.env"),
        (NEW, "self.grid = 1\n        return self.grid"),
        (NEW, "return other.grid"),
        (NEW, "return getattr(self, 'grid', None)"),
        (NEW.replace("self.env = env", "self.env = env; self.grid = 1"), "return self.grid"),
        (NEW.replace("class W:", "class W(elsewhere.Base):"), "return self.grid"),
        (OLD.replace("getattr(self.env, name)", "None"), "return self.grid"),
    ],
)
def test_what_something_gives(new: str, code: str) -> None:
    assert compare(OLD, new, MINE.format(code=code)) == []


def test_a_base_that_is_not_seen_may_have_it() -> None:
    old = OLD.replace("class W:", "class W(elsewhere.Base):")
    assert compare(old, old.replace(ANSWER, ""), MINE.format(code="return self.grid")) == []
