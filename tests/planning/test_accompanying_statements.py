"""Statements that come along with a value of upstream, and those that are too uncertain to bring along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from syncbot.contracts.changes import NOTHING_MORE
from syncbot.impact.model import Impact, Location
from tests.planning.test_plan import MINE, migrated, text

GO = "    def go(self, x):\n        return helper(x, 2)\n"
MORE = ("helper(x, y)", "helper(x, y, z)")
OWN = f"from up.base import Base, helper\n\n\nclass Mine(Base):\n{GO}"


def upstream(body: str) -> tuple[str, str]:
    """The overridden method with another body."""
    return GO, f"    def go(self, x):\n{body}"


def test_the_statement_that_makes_a_value_comes_along_with_its_import(tmp_path: Path) -> None:
    done = migrated(
        tmp_path, OWN, upstream("        step = make(self.size)\n        return helper(x, 2, z=step)\n"), MORE
    )
    assert text(done) == (
        "from up.base import Base, helper\nfrom up.base import make\n\n\nclass Mine(Base):\n"
        "    def go(self, x):\n        step = make(self.size)\n        return helper(x, 2, z=step)\n"
    )
    assert not done.unwritten


@pytest.mark.parametrize(
    "own",
    [
        OWN.replace("        return", "        step = 1\n        return"),
        OWN.replace("        return", "        make = 1\n        return"),
        OWN.replace("helper\n", "helper\n\nstep = 3\n", 1),
        OWN.replace("go(self, x)", "go(self, x, step=None)"),
    ],
    ids=["variable", "function", "global", "parameter"],
)
def test_a_name_that_is_taken_needs_an_author(tmp_path: Path, own: str) -> None:
    done = migrated(
        tmp_path, own, upstream("        step = make(self.size)\n        return helper(x, 2, z=step)\n"), MORE
    )
    assert text(done) == ""
    assert [left.why for left in done.unwritten] == ["it now requires z, and nothing shows what to pass here"]


OTHER = """\
class Other:
    def go(self, x):
        step = take(x)
        show(step)
        return helper(x, 2)


def take(x): ...
def show(x): ...
def helper(x, y): ...
"""


def test_a_call_that_ours_did_without_before_does_not_come_along(tmp_path: Path) -> None:
    after = OTHER.replace("helper(x, y)", "helper(x, y, z)").replace("helper(x, 2)", "helper(x, 2, z=step)")
    done = migrated(
        tmp_path,
        OWN.replace("up.base", "up.other").replace("Base", "Other"),
        ("class Base:", "class Base:  # one"),
        more=({"up/other.py": OTHER}, {"up/other.py": after}),
    )
    assert text(done) == ""
    assert [left.why for left in done.unwritten] == ["it now requires z, and nothing shows what to pass here"]


BRANCH = """\
        strict = False
        if self.size is not None:
            other = make(3)
            strict = self.size == 1
        return helper(x, 2, z=not strict)
"""


def test_branches_that_make_a_value_come_along_without_what_else_they_do(tmp_path: Path) -> None:
    done = migrated(tmp_path, OWN, upstream(BRANCH), MORE)
    assert text(done).endswith(
        "        strict = False\n        if self.size is not None:\n            strict = self.size == 1\n"
        "        return helper(x, 2, z=not strict)\n"
    )
    assert not done.unwritten


@pytest.mark.parametrize(
    "body",
    [
        BRANCH.replace("        strict = False\n", ""),
        BRANCH.replace("if self.size is not None", "for item in x"),
        BRANCH.replace("self.size == 1", "make(2)"),
    ],
    ids=["no value on one way", "loop", "call in a branch"],
)
def test_branches_that_may_do_more_need_an_author(tmp_path: Path, body: str) -> None:
    done = migrated(tmp_path, OWN, upstream(body), MORE)
    assert text(done) == ""
    assert len(done.unwritten) == 1


def test_what_prepares_a_value_comes_along(tmp_path: Path) -> None:
    body = "        make(x)\n        return helper(x, 2, z=x.step)\n"
    done = migrated(tmp_path, OWN, upstream(body), MORE)
    assert text(done).endswith(body)


def test_a_value_that_something_unknown_prepares_needs_an_author(tmp_path: Path) -> None:
    body = "        self.tool.make(x, own)\n        return helper(x, 2, z=x.step)\n"
    done = migrated(tmp_path, OWN, upstream(f"        own = [i for i in ()]\n{body}"), MORE)
    assert text(done) == ""
    assert len(done.unwritten) == 1


COPY = """\
from up.layer import Part


class Layer:
    def __init__(self, config):
        self.width = config.width
        self.height = config.height
        self.part = MyPart(self.width)
        self.last = config.last


class MyPart(Part):
    def __init__(self, width):
        super().__init__(width)
"""
LAYER = """\
class Part:
    def __init__(self, width): ...


class Layer:
    def __init__(self, config):
        self.width = config.width
        self.height = config.height
        self.part = Part(self.width)
        self.last = config.last
"""


@pytest.mark.parametrize(
    ("own", "value", "passed"),
    [
        (COPY, "config.step", "MyPart(self.width, step=config.step)"),
        (COPY, "self.height", "MyPart(self.width, step=self.height)"),
        (COPY.replace("self.height = config.height", "self.height = 2"), "self.height", ""),
        (COPY.replace("config.", "other."), "config.step", ""),
    ],
    ids=["parameter", "attribute", "attribute set otherwise", "no copy"],
)
def test_a_copy_of_an_upstream_function_follows_it(tmp_path: Path, own: str, value: str, passed: str) -> None:
    after = LAYER.replace("(self, width)", "(self, width, step)")
    after = after.replace("Part(self.width)", f"Part(self.width, step={value})")
    done = migrated(
        tmp_path,
        own,
        ("class Base:", "class Base:  # one"),
        more=({"up/layer.py": LAYER}, {"up/layer.py": after}),
    )
    assert passed in text(done)
    assert bool(done.unwritten) is not bool(passed)


TOKENS = """\
class Base:
    def go(self, x):
        old = sum(self.tokens(i) for i in x)
        self.total = old
        return self.total

    def tokens(self, x):
        return x
"""
MINE_OF_TOKENS = "from up.old import Base\n\n\n" + TOKENS.partition("\n    def tokens")[0].replace(
    "class Base", "class Mine(Base)"
)


@pytest.mark.parametrize(
    ("own", "followed"),
    [
        (MINE_OF_TOKENS, True),
        (MINE_OF_TOKENS.replace("self.total\n", "self.total + old\n"), False),
        (
            MINE_OF_TOKENS.replace("        self.total = old", "        print(x)\n        self.total = old"),
            False,
        ),
    ],
    ids=["all in a row", "what is gone is read elsewhere", "something between"],
)
def test_statements_that_upstream_replaced_together_are_replaced_together(
    tmp_path: Path, own: str, followed: bool
) -> None:
    after = TOKENS.replace("old", "fresh").replace("self.tokens(i)", "self.embeds(i)")
    after = after.replace("tokens(self, x):\n        return x", "embeds(self, x):\n        return [x, 1]")
    done = migrated(
        tmp_path,
        own,
        ("class Base:", "class Base:  # one"),
        more=({"up/old.py": TOKENS}, {"up/old.py": after}),
    )
    expected = own.replace("sum(self.tokens(i) for i in x)", "sum((self.embeds(i) for i in x))")
    assert text(done) == (
        expected.replace("old =", "fresh =").replace("= old", "= fresh") if followed else ""
    )
    assert bool(done.unwritten) is not followed


def test_a_new_argument_in_the_place_of_a_lost_one_does_not_bring_a_statement(tmp_path: Path) -> None:
    """Something else may do now what the lost argument did."""
    done = migrated(
        tmp_path,
        OWN.replace("helper(x, 2)", "helper(x, y=2)"),
        ("return helper(x, 2)", "return helper(x, y=2)"),
        ("return helper(x, y=2)", "late = self.size is None\n        return helper(x, late=late)"),
        ("helper(x, y)", "helper(x, late=False)"),
    )
    assert text(done) == ""
    assert "upstream passes late now in place of y, and nothing shows its value" in done.unwritten[0].why


def test_a_function_inside_a_constructor_may_return(tmp_path: Path) -> None:
    mine = MINE.replace(
        "    def start",
        "    def __init__(self, size, pin):\n        def inner():\n            return size\n\n"
        "        self.inner = inner\n\n    def start",
    )
    done = migrated(tmp_path, mine, ("self.size = size\n", "self.size = size\n        self.pin = pin\n"),
                    ("        return helper(x, 2)\n", "        return helper(x, self.pin)\n"))  # fmt: skip
    assert "        self.inner = inner\n        self.pin = pin\n" in text(done)


def test_a_parameter_stands_where_upstream_has_it_though_ours_names_its_neighbour_otherwise(
    tmp_path: Path,
) -> None:
    mine = MINE.replace(
        "    def start",
        "    def __init__(self, length, pin):\n        super().__init__(length, pin)\n\n    def start",
    )
    done = migrated(tmp_path, mine, ("(self, size, pin)", "(self, size, kind, pin)"))
    assert "def __init__(self, length, kind, pin):\n        super().__init__(length, kind, pin)" in text(done)
    assert not done.unwritten


TOP = """\
class Top:
    def run(self):
        self.go(1{passed})

    def go(self, x{taken}):
        return x
"""


def test_an_override_that_fits_neither_end_is_not_half_rewritten(tmp_path: Path) -> None:
    """It requires one argument too many, as before: without the other one the call fails all the same."""
    done = migrated(
        tmp_path,
        "from up.top import Top\n\n\nclass Mine(Top):\n    def go(self, x, late, more):\n"
        "        return super().go(x, late, more)\n",
        ("class Base:", "class Base:  # one"),
        more=(
            {"up/top.py": TOP.format(passed=", 2", taken=", late")},
            {"up/top.py": TOP.format(passed="", taken="")},
        ),
    )
    assert not done.changes
    assert [left.why for left in done.unwritten] == [
        "it would still fail after the rewrite: up.top.Top.go() has no more, which this override requires"
    ]


def typed(found: Sequence[Impact]) -> Sequence[Impact]:
    """Return the impacts with one more, which only a type checker reports at the call."""
    place = Location("src/plugin/mine.py", 6, 24)
    return (
        *found,
        replace(
            found[0], id="0" * 10, details=NOTHING_MORE, contract="", locations=(place,), engines=("ty",)
        ),
    )


@pytest.mark.parametrize(
    ("passed", "after"),
    [
        ("x, more, odd", "super().go(x, more, step=step)"),
        ("x, more + 1, odd", ""),
        ("x, *odd", ""),
        ("x, more, odd=more", ""),
    ],
)
def test_a_call_that_only_hands_parameters_on_is_bound_by_their_names(
    tmp_path: Path, passed: str, after: str
) -> None:
    """It did not bind before either: upstream never took ``odd``."""
    top = TOP.format(passed=", 2", taken=", more")
    done = migrated(
        tmp_path,
        "from up.top import Top\n\n\nclass Mine(Top):\n    def go(self, x, more, odd=None):\n"
        f"        return super().go({passed})\n",
        ("class Base:", "class Base:  # one"),
        more=(
            {"up/top.py": top},
            {"up/top.py": top.replace("x, more)", "x, more, step)").replace("(1, 2)", "(1, 2, 3)")},
        ),
        told=typed,
    )
    assert ((after or "step") in text(done).partition("return")[2]) is bool(after)
    assert [left.why for left in done.unwritten] == (
        [] if after else ["the call passes * or **, or did not bind before either"]
    )


def test_a_parameter_does_not_go_behind_one_that_upstream_has_elsewhere(tmp_path: Path) -> None:
    """Ours lacks ``b``, and takes ``c`` where upstream takes ``b``."""
    top = TOP.format(passed=", 2, 3", taken=", b=0, c=0")
    after = top.replace("b=0, c=0", "b=0, new=0, c=0").replace("2, 3", "2, 3, 4")
    done = migrated(
        tmp_path,
        "from up.top import Top\n\n\nclass Mine(Top):\n    def go(self, x, c):\n        return x\n",
        ("class Base:", "class Base:  # one"),
        more=({"up/top.py": top}, {"up/top.py": after}),
    )
    assert "def go(self, x, c, new=0)" in text(done)


RESULT = """\
class Engine:
    def slots(self, at):
        return [at]

    def draft(self, at):
        return at

    def propose(self, at):
        slots = self.slots(at)
        return self.draft(at)
"""


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("slots = self.slots(at + 1)", "return self.draft(at, slots=slots)"),
        ("slots = self.other(at)", ""),
        ("slots = self.slots(at)\n        slots = [slots]", ""),
    ],
)
def test_the_result_of_the_same_call_of_the_object_means_the_same(
    tmp_path: Path, own: str, expected: str
) -> None:
    new = RESULT.replace("def draft(self, at)", "def draft(self, at, slots)")
    new = new.replace("self.draft(at)", "self.draft(at, slots=slots)").replace(
        "slots(at)\n", "slots(at * 2)\n"
    )
    mine = (
        "from up.engine import Engine\n\n\nclass Mine(Engine):\n    def other(self, at):\n        return at\n\n"
        f"    def propose(self, at):\n        {own}\n        return self.draft(at)\n"
    )
    more = ({"up/engine.py": RESULT}, {"up/engine.py": new})
    done = migrated(tmp_path, mine, ("helper(x, 2)", "helper(x, 3)"), more=more)
    assert expected in text(done)
    assert bool(text(done)) == bool(expected)
