"""Classes that have all methods of an upstream protocol, and do not derive from it."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

PROTOCOL = """
from typing import Protocol


class Part:
    pass


class Runs(Protocol):
    def forward(self, x): ...


class Speaks(Runs, Protocol):
    def speak(self, words{more}): ...


class Runner:
    def run(self, model, one):
        model.forward(1)
        return model.speak(one{given})
"""
OLD = PROTOCOL.format(more=", extra", given=", None")
NEW = PROTOCOL.format(more="", given="")
MINE = """
from lib.a import Part


class Mine(Part):
    def forward(self, x):
        return x

    def speak(self, words, extra):
        return words
"""


def test_a_method_that_the_protocol_calls_otherwise() -> None:
    assert compare(OLD, NEW, MINE) == ["parameter-removed lib.a.Speaks.speak breaks 8 extra"]
    needs = PROTOCOL.format(more=", extra, last", given=", None, 1")
    found = compare(OLD, needs, MINE)
    assert found == ["parameter-required lib.a.Speaks.speak breaks 8 last"]


@pytest.mark.parametrize(
    "mine",
    [
        pytest.param(MINE.replace("def forward", "def run"), id="lacks a method"),
        pytest.param(MINE.replace("(Part)", ""), id="nothing of upstream's"),
        pytest.param(MINE.replace("extra)", "extra=None)"), id="takes less as well"),
        pytest.param(MINE.replace("words, extra", "*words"), id="takes anything"),
    ],
)
def test_what_is_not_asked_so_or_still_fits(mine: str) -> None:
    assert compare(OLD, NEW, mine) == []


USES = "\n\ndef use(model):\n    model.speak(1, 2)\n"
HOLDS = "\n\nclass Own:\n    def go(self):\n        self.model.speak(1, 2)\n"
HANDS_ON = (
    "\n\nclass Outer:\n    def speak(self, words, extra):\n        return self.inner.speak(words, extra)\n"
)


@pytest.mark.parametrize(
    "use", [HANDS_ON, "\n\nclass Own(Mine):\n    def go(self):\n        self.speak(1, 2)\n"]
)
def test_what_hands_on_is_asked_itself(use: str) -> None:
    assert compare(OLD, NEW, MINE + use) == ["parameter-removed lib.a.Speaks.speak breaks 8 extra"]


def test_who_calls_it_here_calls_it_so() -> None:
    for use in (USES, HOLDS):
        assert compare(OLD, NEW, MINE + use) == ["parameter-removed lib.a.Speaks.speak at-risk 8 extra"]
    own = USES.replace("model.speak(1, 2)", "model.speak(1)")
    assert compare(OLD, NEW, MINE + own) == ["parameter-removed lib.a.Speaks.speak breaks 8 extra"]


def test_no_call_is_seen() -> None:
    old, new = (text[: text.index("class Runner")] for text in (OLD, NEW))
    assert compare(old, new, MINE) == ["parameter-removed lib.a.Speaks.speak at-risk 8 extra"]


def test_a_class_that_is_no_protocol_binds_nobody() -> None:
    old, new = (text.replace("Runs, Protocol", "Runs") for text in (OLD, NEW))
    assert compare(old, new, MINE) == []


def test_one_method_is_too_little() -> None:
    old, new = (text.replace("Runs, Protocol", "Protocol") for text in (OLD, NEW))
    assert compare(old, new, MINE) == []


def test_who_derives_from_the_protocol_is_told_once() -> None:
    mine = MINE.replace("import Part", "import Speaks").replace("(Part)", "(Speaks)")
    assert compare(OLD, NEW, mine) == ["parameter-removed lib.a.Speaks.speak breaks 8 extra"]


LAYER = MINE.replace("def forward(self, x)", "def forward(self, x, caches)")
MODULE_OLD = OLD.replace("def forward(self, x)", "def forward(self, x, caches)").replace(
    "(1)", "(1, caches=2)"
)
MODULE_NEW = OLD
ITSELF = "\n\nclass Own:\n    def go(self):\n        return self.model(1, caches=2)\n"
FORWARD = "parameter-removed lib.a.Runs.forward"


@pytest.mark.parametrize(
    ("use", "verdict"),
    [
        pytest.param(ITSELF, "at-risk", id="the object is called"),
        pytest.param(ITSELF.replace("caches", "other"), "breaks", id="with something else"),
        pytest.param(ITSELF.replace("def go", "def forward"), "breaks", id="handed on"),
        pytest.param(
            ITSELF.replace("self.model(", "Kept(") + "\n\nclass Kept:\n    def __init__(self, x, caches): ...\n",
            "breaks", id="a class of the backend",
        ),
    ],
)  # fmt: skip
def test_a_module_of_torch_is_called_itself(use: str, verdict: str) -> None:
    assert compare(MODULE_OLD, MODULE_NEW, LAYER + use) == [f"{FORWARD} {verdict} 5 caches"]


GROWN = OLD.replace("    def speak", "    def listen(self): ...\n\n    def speak")
LISTENS = "\n\ndef hear(model):\n    return model.listen()\n"
LACKS = "method-left-open lib.a.Speaks.listen {} 4 listen"


@pytest.mark.parametrize(
    ("asks", "verdict"),
    [
        (LISTENS, "breaks"),
        ("\n\ndef hear(model):\n    return getattr(model, 'listen')\n", "breaks"),
        ("\n\ndef hear(model):\n    return getattr(model, 'listen', None)\n", "at-risk"),
        ("\n\ndef hear(model):\n    return hasattr(model, 'listen')\n", "at-risk"),
    ],
)
def test_a_protocol_has_a_method_more(asks: str, verdict: str) -> None:
    assert compare(OLD, GROWN + asks, MINE) == [LACKS.format(verdict)]


@pytest.mark.parametrize(
    ("new", "mine"),
    [
        pytest.param(GROWN, MINE, id="nobody asks for it"),
        pytest.param(GROWN + LISTENS, MINE + "\n    def listen(self): ...\n", id="it is there"),
        pytest.param(GROWN + LISTENS, MINE.replace("def speak", "def say"), id="another one was missing"),
        pytest.param(GROWN + LISTENS, MINE.replace("Part", "Speaks"), id="inherited"),
        pytest.param(GROWN + LISTENS.replace("model.listen", "listen"), MINE, id="a function"),
    ],
)
def test_who_lacks_nothing_of_it(new: str, mine: str) -> None:
    assert compare(OLD, new, mine) == []
