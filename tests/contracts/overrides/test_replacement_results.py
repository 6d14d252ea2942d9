"""Results that upstream declares to be something else: for those who call, and for those who stand in."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Pair:
    pass

class Other:
    pass

class Base:
    def parse(self, text) -> list[int]:
        return work(text)

def f() -> Pair:
    return work()
"""
CALL = "from lib.a import Base, f\n\ndef g(base: Base):\n    {}\n"
OVERRIDE = (
    "from lib.a import Base\n\nclass Own(Base):\n    def parse(self, text){}:\n        return own(text)\n"
)


def types_changed(new: str, backend: str) -> list[str]:
    return [row for row in compare(OLD, new, backend) if row.startswith("return-type")]


@pytest.mark.parametrize(
    ("new", "backend", "expected"),
    [
        pytest.param(
            OLD.replace("-> list[int]", "-> tuple[list[int], int]"),
            CALL.format("return base.parse('')"),
            "return-type-changed lib.a.Base.parse at-risk 4",
            id="method called",
        ),
        pytest.param(
            OLD.replace("-> Pair", "-> Other"),
            CALL.format("x = f()"),
            "return-type-changed lib.a.f at-risk 4",
            id="function called",
        ),
        pytest.param(
            OLD.replace("-> Pair", "-> Pair | None"),
            CALL.format("return f().name"),
            "return-type-changed lib.a.f at-risk 4",
            id="may be None",
        ),
        pytest.param(
            OLD.replace("-> list[int]", "-> list[list[int]]"),
            OVERRIDE.format(""),
            "return-type-changed lib.a.Base.parse at-risk 4",
            id="method overridden",
        ),
        pytest.param(
            OLD.replace("-> list[int]", "-> list[list[int]]"),
            OVERRIDE.format(" -> list[int]"),
            "return-type-changed lib.a.Base.parse at-risk 4",
            id="method overridden as it was",
        ),
    ],
)
def test_another_result_is_declared(new: str, backend: str, expected: str) -> None:
    assert types_changed(new, backend) == [expected]


@pytest.mark.parametrize(
    ("new", "backend"),
    [
        pytest.param(OLD.replace("-> Pair", "-> Other"), CALL.format("f()"), id="result not used"),
        pytest.param(
            OLD.replace("-> Pair", "-> Other").replace("class Other:", "class Other(Pair):"),
            CALL.format("x = f()"),
            id="a subclass",
        ),
        pytest.param(
            OLD.replace("-> list[int]", "-> list[list[int]]"),
            OVERRIDE.format(" -> list[list[int]]"),
            id="the override already does",
        ),
        pytest.param(
            OLD.replace("-> list[int]", "-> list[int] | None"),
            OVERRIDE.format(""),
            id="the override does less",
        ),
        pytest.param(OLD.replace(" -> Pair", ""), CALL.format("x = f()"), id="not declared any more"),
    ],
)
def test_no_other_result(new: str, backend: str) -> None:
    assert types_changed(new, backend) == []


FLUSH = "class Base:\n    def flush(self):\n        {}\n"
OWN_FLUSH = "from lib.a import Base\n\nclass Own(Base):\n    def flush(self):\n        pass\n"


@pytest.mark.parametrize(
    ("new", "verdict"),
    [
        (FLUSH.format("...").replace("(self)", "(self) -> bool"), "at-risk"),
        (FLUSH.format("return True").replace("(self)", "(self) -> bool"), "breaks"),
    ],
)
def test_an_annotation_alone_does_not_say_that_nothing_was_returned(new: str, verdict: str) -> None:
    assert [row.split()[2] for row in compare(FLUSH.format("..."), new, OWN_FLUSH)] == [verdict]


NOTHING = "class Base:\n    def end(self) -> None: ...\n"
ENDS = "from lib.a import Base\n\nclass Own(Base):\n    def end(self):\n        pass\n"


@pytest.mark.parametrize(
    ("now", "verdict"),
    [
        ("int", "breaks"),
        ("list[Optional[int]]", "breaks"),
        ("int | None", "at-risk"),
        ("Optional[int]", "at-risk"),
        ("typing.Optional[int]", "at-risk"),
    ],
)
def test_what_may_still_be_nothing_is_given(now: str, verdict: str) -> None:
    new = NOTHING.replace("-> None", f"-> {now}")
    assert compare(NOTHING, new, ENDS) == [f"return-shape-changed lib.a.Base.end {verdict} 4"]


def test_upstream_takes_apart_what_ours_returns_whole() -> None:
    old = "class Base:\n    def parse(self) -> list[int]: ...\n    def run(self):\n        return self.parse()\n"
    new = old.replace("-> list[int]", "-> tuple[list[int], str]")
    own = "from lib.a import Base\nclass Own(Base):\n    def parse(self){}: ...\n"
    told = "return-type-changed lib.a.Base.parse {} 3"
    assert compare(old, new, own.format(" -> list[int]")) == [told.format("breaks")]
    assert compare(old, new, own.format("")) == [told.format("at-risk")]
    assert compare(old, new, own.format(" -> tuple[list[int], str]")) == []


PAIR = "class Base:\n    def pair(self){}:\n        {}\n    def more(self): ...\n"
OF_TWO, OF_THREE = (
    PAIR.format("", f"return {values}\n    def run(self):\n        {values} = self.pair()")
    for values in ("a, b", "a, b, c")
)
OWN_PAIR = (
    "from lib.a import Base\nclass Own(Base):\n    def pair(self){}:\n        {}\n    def own(self): ...\n"
)
TWO, SHAPE = " -> tuple[int, int]", "return-shape-changed lib.a.Base.pair {} 3"


@pytest.mark.parametrize(
    ("declared", "body", "verdict"),
    [
        ("", "r = 1, 2\n        return r", "breaks"),
        ("", "r: tuple = (1, 2)\n        return r", "breaks"),
        (TWO, "return self.own()", "breaks"),
        # Upstream may give what is handed on.
        (TWO, "return super().pair()", "at-risk"),
        (TWO, "return self.more()", "at-risk"),
        (TWO, "r = self.own()\n        return r", "at-risk"),
        ("", "r = 1, 2\n        r += (3,)\n        return r", ""),
        ("", "r = 1, 2\n        if (r := more()):\n            pass\n        return r", ""),
        ("", "def inner():\n            nonlocal r\n        r = 1, 2\n        return r", ""),
        ("", "r = 1, 2, 3\n        return r", ""),
        ("", "global r\n        r = 1, 2\n        return r", ""),
        (" -> tuple[int, ...]", "return self.own()", ""),
        (TWO + " | None", "return self.own()", ""),
        (TWO, "if a:\n            return None\n        return self.own()", ""),
    ],
)
def test_an_override_gives_another_number_of_values(declared: str, body: str, verdict: str) -> None:
    expected = [SHAPE.format(verdict)] if verdict else []
    assert compare(OF_TWO, OF_THREE, OWN_PAIR.format(declared, body)) == expected


def test_a_parameter_that_is_given_a_tuple_on_one_branch_may_be_anything() -> None:
    own = OWN_PAIR.format("", "if a:\n            r = 1, 2\n        return r").replace(
        "(self):", "(self, r=0):", 1
    )
    assert compare(OF_TWO, OF_THREE, own) == []


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        ("raise NotImplementedError", "raise NotImplementedError", [SHAPE.format("breaks")]),
        ("...", "...", [SHAPE.format("breaks")]),
        ("return work()", "return work() + (3,)", [SHAPE.format("breaks")]),
        # Only the annotation was wrong.
        ("return work()", "return work()", ["return-type-changed lib.a.Base.pair at-risk 3"]),
    ],
)
def test_upstream_declares_another_number_of_values(was: str, now: str, told: list[str]) -> None:
    old, new = PAIR.format(TWO, was), PAIR.format(" -> tuple[int, int, int]", now)
    assert compare(old, new, OWN_PAIR.format("", "return 1, 2")) == told


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return super().parse(text)", []),
        ("if text:\n            return super().parse(text)\n        return super().parse('')", []),
        ("if text:\n            return []\n        return super().parse(text)", ["return-type-changed"]),
        ("return super().other(text)", ["return-type-changed"]),
    ],
)
def test_an_override_that_returns_what_upstream_does(body: str, expected: list[str]) -> None:
    own = OVERRIDE.format(" -> list[int]").replace("return own(text)", body)
    found = types_changed(OLD.replace("-> list[int]", "-> tuple[list[int], int]"), own)
    assert [row.split()[0] for row in found] == expected
