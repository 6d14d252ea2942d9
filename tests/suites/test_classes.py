"""Classes by rule, on sources of a small plugin and its upstream: what a rule shows, and what it leaves open."""

from __future__ import annotations

import pytest

from syncbot.suites.classes import Decision, Decisions
from syncbot.suites.expected_calls import arguments
from syncbot.verify.suite.outcomes import Asked, Cause, Frame

from .ends import Ends

OLD = """\
import torch
from up.other import moved


class Config:
    size: int
    length = 3

    def __init__(self, size, lost=None):
        self.size = size
        self.lost = lost


class Base:
    def step(self, batch, padded=None):
        return batch

    def stays(self, batch):
        return batch

    def before(self):
        self.limit = 3


def helper(value, flag=None):
    return value


def gone():
    pass
"""
NEW = """\
class Config:
    size: int

    def __init__(self, size):
        self.size = size
        self.extra = 0


class Holder:
    config: Config

    def __init__(self, config: Config):
        self.config = config


class Open:
    def __getattr__(self, name):
        return name


class Base:
    def step(self, batch, form):
        return batch

    def stays(self, batch):
        return batch

    @property
    def limit(self):
        return 3

    def fresh_member(self):
        return 1


def helper(value):
    return value


def run(holder: Holder):
    return holder.config.extra
"""
OWN_OLD = """\
from up.base import Base, gone


class Mine(Base):
    def step(self, batch, padded=None):
        return super().step(batch)

    def stays(self, batch, note=None):
        return batch


def own():
    pass
"""
OWN_NEW = """\
from up.base import Base, Config, Holder, helper


class Mine(Base):
    def __init__(self):
        self.worker = 1

    def step(self, batch, form):
        return super().step(batch, form)

    def stays(self, batch):
        return super().stays(batch)

    def go(self, given: Holder, loose, open: "Open"):
        local = given.config
        a = local.extra
        b = loose.extra
        c = given.config.lost
        d = helper(1, flag=True)
        e = helper(*loose)
        f = self.worker
        g = loose.fresh_member
        h = helper(1)
        return a, b, c, d, e, f, g, h
"""
TEST = """\
from plugin.mine import Mine


class Parent:
    def step(self):
        pass


def test_it():
    mine = Mine.__new__(Mine)
    mine.go()
"""
OTHER = "def moved(): ...\n"
ENDS = Ends(
    {"up.base": OLD, "up.other": OTHER, "up.left.deep": "", "plugin.mine": OWN_OLD},
    {"up.base": NEW, "plugin.mine": OWN_NEW, "plugin.rest": "from up.base import Base\n"},
    {"tests/test_it.py": TEST, "tests/helpers.py": "class Fake:\n    def step(self): ...\n"},
)
IN_TEST = ENDS.frame("tests/test_it.py")


def missing(name: str, nature: str, *classes: str) -> Asked:
    return Asked(name, nature, classes)


@pytest.mark.parametrize("nature", ["namespace", "test"])
@pytest.mark.parametrize(
    ("file", "expression", "class_"),
    [
        ("up/base.py", "holder.config.extra", "pins"),
        ("plugin/mine.py", "local.extra", "pins"),
        # Nothing says what it is.
        ("plugin/mine.py", "loose.extra", "undecided"),
        # One class alone has this, and none had before.
        ("plugin/mine.py", "loose.fresh_member", "pins"),
        # The real class has it no more, either.
        ("plugin/mine.py", "given.config.lost", "lane"),
    ],
)
def test_a_stand_in_pins_where_the_real_class_has_what_it_lacks(
    nature: str, file: str, expression: str, class_: str
) -> None:
    name = expression.rpartition(".")[2]
    frame, asked = ENDS.frame(file, expression), missing(name, nature, "types.SimpleNamespace")
    old = {**ENDS.release, "up.another": "class Another:\n    extra = 0\n"}
    new = {**ENDS.lane, "up.another": "class Another:\n    extra = 0\n"}
    ends = Ends(old, new, ENDS.tests)
    assert ends.told("AttributeError", "no", frame, asked=asked).class_ == class_
    # In the test itself it is the test's own business.
    mine = Frame("tests/test_it.py", 11, "test_it", "", frame.expression)
    found = ends.told("AttributeError", "no", mine, asked=missing(name, nature, "t.Given"))
    assert found.class_ == "undecided"


@pytest.mark.parametrize(
    ("class_", "name", "expected"),
    [
        ("up.base.Config", "extra", "pins"),
        ("up.base.Config", "lost", "lane"),
        ("up.base.Open", "anything", "undecided"),
        ("torch.Tensor", "extra", "undecided"),
    ],
)
def test_a_mock_pins_where_what_it_stands_for_has_more(class_: str, name: str, expected: str) -> None:
    frame = Frame("plugin/mine.py", 3, "go")
    found = ENDS.told("AttributeError", "Mock object has no", frame, asked=missing(name, "mock", class_))
    assert found.class_ == expected


def test_an_object_made_without_its_constructor_pins_and_a_real_one_does_not() -> None:
    frame, asked = (
        ENDS.frame("plugin/mine.py", "self.worker"),
        missing("worker", "object", "plugin.mine.Mine"),
    )
    found = ENDS.told("AttributeError", "'Mine' object has no attribute 'worker'", frame, asked=asked)
    assert (found.class_, "without its constructor" in found.reason) == ("pins", True)
    # The test knows it as what it derives from, which it stands for.
    base = Ends(ENDS.release, ENDS.lane, {"tests/test_it.py": "mine = Base.__new__(Base)\n"})
    above = missing("worker", "object", "plugin.mine.Mine", "up.base.Base")
    assert base.told("AttributeError", "no", frame, asked=above).class_ == "pins"
    assert base.told("AttributeError", "no", frame, asked=asked).class_ == "undecided"
    inside = Frame("plugin/mine.py", frame.line, "__init__", "", frame.expression)
    assert ENDS.told("AttributeError", "no", inside, asked=asked).class_ == "undecided"


@pytest.mark.parametrize(
    ("kind", "text", "in_test", "in_plugin"),
    [
        ("ModuleNotFoundError", "No module named 'drawing.shapes'", "environment", "environment"),
        ("FileNotFoundError", "[Errno 2] no /dev/device", "environment", "environment"),
        ("ModuleNotFoundError", "No module named 'up.left'", "pins", "lane"),
        # Neither end has it.
        ("ModuleNotFoundError", "No module named 'up.never'", "undecided", "lane"),
        ("ImportError", "cannot import name 'gone' from 'up.base' (up/base.py)", "pins", "lane"),
        # Upstream's module had it from elsewhere, where it still is.
        ("ImportError", "cannot import name 'moved' from 'up.base' (up/base.py)", "pins", "lane"),
        ("ImportError", "cannot import name 'torch' from 'up.base' (up/base.py)", "pins", "lane"),
        # There is such a name: what stood in the way is something else, or what the test put there.
        ("ImportError", "cannot import name 'helper' from 'up.base' (up/base.py)", "undecided", "undecided"),
        ("ImportError", "cannot import name 'helper' from 'up.base' (unknown location)", "undecided", "pins"),
        # The plugin had it from upstream.
        ("AttributeError", "module 'plugin.mine' has no attribute 'gone'", "pins", "lane"),
        ("AttributeError", "'module' object at plugin.mine has no attribute 'gone'", "pins", "lane"),
        # The plugin had it of its own.
        ("AttributeError", "module 'plugin.mine' has no attribute 'own'", "undecided", "lane"),
        ("AttributeError", "<module 'up.base' from 'x'> does not have the attribute 'gone'", "pins", "lane"),
        (
            "AttributeError",
            "<class 'up.base.Base'> does not have the attribute 'before'",
            "pins",
            "undecided",
        ),
        ("AttributeError", "<class 'plugin.mine.Mine'> has no attribute 'before'", "pins", "undecided"),
        ("AttributeError", "<class 'up.base.Base'> has no attribute 'never'", "undecided", "undecided"),
        ("AttributeError", "property 'limit' of 'Mine' object has no setter", "pins", "lane"),
        ("AttributeError", "property 'size' of 'Mine' object has no setter", "undecided", "undecided"),
        ("AssertionError", "assert 1 == 2", "undecided", "undecided"),
    ],
)
def test_a_name_that_upstream_took_away_pins_in_a_test_and_is_wrong_in_the_plugin(
    kind: str, text: str, in_test: str, in_plugin: str
) -> None:
    assert ENDS.told(kind, text, IN_TEST).class_ == in_test
    assert ENDS.told(kind, text, Frame("plugin/mine.py", 1, "f")).class_ == in_plugin


def test_what_no_source_has_at_either_end_is_nobodys() -> None:
    same = {**ENDS.lane, "plugin.rest": "from up import _compiled\n"}
    ends = Ends({**ENDS.release, "plugin.rest": same["plugin.rest"]}, same, ENDS.tests)
    text = "cannot import name '_compiled' from 'up' (unknown location)"
    assert ends.told("ImportError", text, Frame("plugin/rest.py", 1, "<module>")).class_ == "undecided"
    assert ends.told("ImportError", text, Frame("plugin/mine.py", 1, "<module>")).class_ == "lane"


def test_what_a_library_asks_for_a_test_is_the_tests_and_for_the_plugin_nobody_knows() -> None:
    text = "<module 'up.base' from 'x'> does not have the attribute 'gone'"
    mock = Frame("/lib/unittest/mock.py", 1400, "get_original")
    assert ENDS.told("AttributeError", text, IN_TEST, mock).class_ == "pins"
    assert ENDS.told("AttributeError", text, Frame("plugin/mine.py", 1, "f"), mock).class_ == "undecided"


def test_an_attribute_that_moved_with_its_class_is_not_gone() -> None:
    asked = missing("before", "object", "plugin.mine.Mine", "up.base.Base")
    text = "'Mine' object has no attribute 'before'"
    assert ENDS.told("AttributeError", text, IN_TEST, asked=asked).class_ == "pins"
    moved = {**ENDS.lane, "up.base": "", "up.bases": OLD}
    assert Ends(ENDS.release, moved, ENDS.tests).told(
        "AttributeError", text, IN_TEST, asked=asked
    ).class_ == ("undecided")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Upstream's own, and what the plugin overrides as upstream has it now.
        ("helper() got an unexpected keyword argument 'flag'", "pins"),
        ("helper() takes 1 positional argument but 2 were given", "pins"),
        ("Config.__init__() got an unexpected keyword argument 'lost'", "pins"),
        ("Mine.step() got an unexpected keyword argument 'padded'", "pins"),
        ("Mine.step() missing 1 required positional argument: 'form'", "pins"),
        # Neither end takes it; the plugin's own parameter; the test's own function.
        ("helper() got an unexpected keyword argument 'never'", "undecided"),
        ("Mine.stays() got an unexpected keyword argument 'note'", "undecided"),
        ("helper() got multiple values for argument 'value'", "undecided"),
        ("Parent.step() takes 1 positional argument but 2 were given", "undecided"),
        ("test_it.<locals>.step() takes 1 positional argument but 2 were given", "undecided"),
    ],
)
def test_a_test_that_calls_in_the_old_way_pins_where_upstream_changed(text: str, expected: str) -> None:
    assert ENDS.told("TypeError", text, IN_TEST).class_ == expected


def test_a_call_follows_upstream_only_where_the_lane_takes_what_upstream_takes() -> None:
    wrong = OWN_NEW.replace("def step(self, batch, form)", "def step(self, batch, rest)")
    text = "Mine.step() missing 1 required positional argument: 'rest'"
    found = Ends(ENDS.release, {**ENDS.lane, "plugin.mine": wrong}, ENDS.tests).told(
        "TypeError", text, IN_TEST
    )
    assert found.class_ == "undecided"


def test_an_attribute_that_upstream_no_longer_sets_is_the_lanes() -> None:
    above = "class State:\n    index: int\n    def __init__(self):\n        self.index = 1\n"
    own = "from up.state import State\nclass Own(State):\n    index: int\n    def go(self):\n        return self.index\n"
    old = {"up.state": above, "plugin.own": own}
    new = {"up.state": "class State: ...\n", "plugin.own": own}
    asked = missing("index", "object", "plugin.own.Own", "up.state.State")
    text = "'Own' object has no attribute 'index'"
    frame = Frame("plugin/own.py", 5, "go")
    found = Ends(old, new, ENDS.tests).told("AttributeError", text, frame, asked=asked)
    assert (found.class_, "up.state.State.index, which upstream sets no more" in found.reason) == (
        "lane",
        True,
    )
    # Something sets it still, or the plugin's own code did.
    sets = own.replace("def go", "def set(self):\n        self.index = 1\n    def go")
    for ends in (Ends(old, {**new, "plugin.own": sets}, {}), Ends({**old, "plugin.own": sets}, new, {})):
        kept = Ends(ends.release, ends.lane, ENDS.tests)
        assert kept.told("AttributeError", text, frame, asked=asked).class_ == "undecided"
    # Its constructor asks before it sets.
    late = Ends({**old, "plugin.own": sets}, {**new, "plugin.own": sets}, ENDS.tests)
    begun = Frame("plugin/own.py", 5, "__init__")
    assert late.told("AttributeError", text, begun, asked=asked).class_ == "lane"
    assert late.told("AttributeError", text, frame, asked=asked).class_ == "undecided"


def test_what_has_upstreams_parameters_at_both_ends_follows_it() -> None:
    class_, other = "class {}:\n    def add(self, {}): ...\n", "up.sampler"
    old = {other: class_.format("Sampler", "req, length"), "plugin.own": class_.format("Own", "req, length")}
    new = {other: class_.format("Sampler", "req"), "plugin.own": class_.format("Own", "req")}
    text = "Own.add() takes 2 positional arguments but 3 were given"

    def with_another(end: dict[str, str]) -> dict[str, str]:
        another = {"up.alike": end[other].replace("Sampler", "Another")}
        return {**end, **another, "plugin.own": end["plugin.own"].replace("Own", "OwnSampler")}

    ends = Ends(with_another(old), with_another(new), ENDS.tests)
    found = ends.told("TypeError", text.replace("Own", "OwnSampler"), IN_TEST)
    assert "up.sampler.Sampler.add" in found.reason
    assert Ends(old, new, ENDS.tests).told("TypeError", text, IN_TEST).class_ == "pins"
    for wrong in ({**old, other: class_.format("Sampler", "size, length")}, {**old, other: new[other]}):
        assert Ends(wrong, new, ENDS.tests).told("TypeError", text, IN_TEST).class_ == "undecided"


@pytest.mark.parametrize(
    ("expression", "called", "expected"),
    [
        # What upstream really has there takes the call; what the test put there does not.
        ("super().step(batch, form)", "test_it.<locals>.fake_step", "pins"),
        ("super().step(batch, form)", "Fake.step", "pins"),
        ("helper(1)", "test_it.<locals>.<lambda>", "pins"),
        # Upstream's does not take it, either; nobody sees what is passed, or what is called.
        ("helper(1, flag=True)", "test_it.<locals>.step", "undecided"),
        ("helper(*loose)", "test_it.<locals>.step", "undecided"),
        ("Mine.__new__(Mine)", "test_it.<locals>.step", "undecided"),
        ("helper(1, flag=True)", "helper", "lane"),
        ("helper(*loose)", "helper", "undecided"),
    ],
)
def test_a_stand_in_pins_where_the_real_thing_takes_the_call(
    expression: str, called: str, expected: str
) -> None:
    file = "tests/test_it.py" if "__new__" in expression else "plugin/mine.py"
    frame = ENDS.frame(file, expression)
    text = f"{called}() got an unexpected keyword argument 'flag'"
    assert ENDS.told("TypeError", text, frame).class_ == expected
    # The test's function may have called another one of the test.
    inner = Frame("tests/test_it.py", 3, "fake_step")
    if expected == "pins":
        assert ENDS.told("TypeError", text, frame, inner).class_ == expected


@pytest.mark.parametrize(
    ("expected_call", "actual", "class_"),
    [
        ("step('b')", "step('b', form=<Mock name='a, b' id='1'>)", "pins"),
        ("mock.step('b')", "mock.step('b', form=None)", "pins"),
        # Another difference, an argument that nobody takes, one that was taken before.
        ("step('b')", "step('c', form=None)", "undecided"),
        ("step('b')", "step('b', other=None)", "undecided"),
        ("step('b')", "step('b', padded=None)", "undecided"),
        ("step('b', form=None)", "step('b')", "undecided"),
        ("other('b')", "other('b', form=None)", "undecided"),
    ],
)
def test_a_test_that_expects_a_call_without_a_new_argument_pins(
    expected_call: str, actual: str, class_: str
) -> None:
    text = f"expected call not found.\nExpected: {expected_call}\n  Actual: {actual}"
    library = Frame("/lib/unittest/mock.py", 900, "assert_called_once_with")
    assert ENDS.told("AssertionError", text, IN_TEST, library).class_ == class_
    assert ENDS.told("AssertionError", text, Frame("plugin/mine.py", 1, "f")).class_ == "undecided"


def test_arguments_are_read_as_they_are_printed() -> None:
    assert arguments("1, 'a, \\'b', [1, 2], x={'a': (1, 2)}, y=<Mock name='m(a, b)' id='1'>") == (
        ["1", "'a, \\'b'", "[1, 2]"],
        {"x": "{'a': (1, 2)}", "y": "<Mock name='m(a, b)' id='1'>"},
    )
    assert arguments("") == ([], {})


def test_groups_of_which_a_rule_shows_the_same_are_one() -> None:
    text = "cannot import name 'gone' from 'up.base' (up/base.py)"
    causes = [Cause("ImportError", text, (Frame(f"tests/test_{name}.py", 1, "<module>"),)) for name in "abb"]
    (found,) = ENDS.classed(*causes, Cause("ImportError", text.replace("'up.base'", "'up.base'")))[:1]
    assert found.class_ == "pins"
    assert (len(found.group.differences), found.group.places) == (
        3,
        ("tests/test_b.py: <module>", "tests/test_a.py: <module>"),
    )


def test_what_a_person_decided_counts_more_than_a_rule() -> None:
    text = "cannot import name 'gone' from 'up.base' (up/base.py)"
    cause = Cause("ImportError", text, (Frame("tests/test_a.py", 1, "<module>"),))
    row = Decision(
        cause=f"ImportError: {text}", where="tests/test_a.py: <module>", decided="lane", reason="it is kept"
    )
    (found,) = ENDS.classed(cause, decisions=Decisions(differences=(row,)))
    assert (found.class_, found.reason, found.by_person) == ("lane", "it is kept", True)
