"""Constructors that leave an upstream ``__init__`` out and so miss what it newly sets."""

from __future__ import annotations

import pytest

from syncbot.contracts.changes import MemberDetails
from tests.contracts.compare import compare, engine, rows, told
from tests.contracts.world import compare as lib

OLD = "class Base:\n    def __init__(self):\n        self.x = 1\n    def go(self):\n        return self.x\n"
NEW = OLD.replace("self.x = 1", "self.x = 1\n        self.y = 2").replace("return self.x", "return self.y")
SKIPS = "from engine.core import Base\nclass Mine(Base):\n    def __init__(self):\n        self.x = 1\n"


def _calls(call: str) -> str:
    return SKIPS.replace("        self.x = 1\n", f"        {call}\n")


@pytest.mark.parametrize(
    ("old", "new", "plugin"),
    [
        pytest.param(OLD, NEW, SKIPS, id="leaves it out"),
        pytest.param(OLD, NEW, _calls("Mine.reset(self)"), id="calls something else"),
        pytest.param(OLD, NEW, _calls("super().__init_subclass__()"), id="calls another of super"),
        pytest.param("class Root: ...\n" + OLD.replace("Base:", "Base(Root):"),
                     "class Root: ...\n" + NEW.replace("Base:", "Base(Root):"),
                     _calls("super(Base, self).__init__()"), id="begins behind it"),
        pytest.param(OLD, NEW, SKIPS + "    def load(self):\n        self.tool.__init__()\n", id="of another"),
    ],
)  # fmt: skip
def test_what_a_left_out_constructor_newly_sets(old: str, new: str, plugin: str) -> None:
    assert told(old, new, plugin) == ["attribute-added core.Base.y breaks 3"]


@pytest.mark.parametrize(
    ("new", "plugin"),
    [
        pytest.param(NEW, _calls("super().__init__()"), id="called by super"),
        pytest.param(NEW.replace("self.y = 2", "self.y: int"), SKIPS, id="only declared"),
        pytest.param(NEW, _calls("super(Mine, self).__init__()"), id="called by super with arguments"),
        pytest.param(NEW, _calls("Base.__init__(self)"), id="called by name"),
        pytest.param(NEW, SKIPS.replace("def __init__(self):\n        self.x = 1", "pass"), id="inherited"),
        pytest.param(NEW, SKIPS.replace("self.x = 1", "self.x = 1\n        self.y = 3"), id="set here"),
        pytest.param(NEW, SKIPS + "    y = 3\n", id="set in the class here"),
        pytest.param(NEW + "    y = 0\n", SKIPS.replace("self.x = 1", "self.y = self.x = 1"), id="both"),
        pytest.param(OLD.replace("self.x = 1", "self.x = 1\n        self.y = 2"), SKIPS,
                     id="nobody reads it"),
        pytest.param(OLD.replace("self.x = 1", "self.x = 2"), SKIPS, id="another value"),
        pytest.param(NEW.replace("__init__", "later"), SKIPS, id="not the constructor"),
        pytest.param(NEW, SKIPS + "    def load(self):\n        super().__init__()\n", id="called later"),
    ],
)  # fmt: skip
def test_constructors_that_miss_nothing(new: str, plugin: str) -> None:
    assert [line for line in told(OLD, new, plugin) if line.startswith("attribute-added")] == []


@pytest.mark.parametrize(
    "default",
    [
        pytest.param("    y = 0\n", id="value"),
        pytest.param("    y: int = 0\n", id="annotated value"),
        pytest.param("    @property\n    def y(self):\n        return 0\n", id="property"),
    ],
)
def test_a_value_of_the_class_is_read_where_no_constructor_sets_one(default: str) -> None:
    assert told(OLD, NEW + default, SKIPS) == []
    root = f"class Root:\n{default}"
    assert (
        told(root + OLD.replace("Base:", "Base(Root):"), root + NEW.replace("Base:", "Base(Root):"), SKIPS)
        == []
    )


@pytest.mark.parametrize(
    "default",
    [
        pytest.param("    y: int\n", id="only declared"),
        pytest.param("    if go:\n        y = 0\n", id="on one branch"),
        pytest.param("    y: list = field(default_factory=list)\n", id="made for each object"),
    ],
)
def test_no_value_of_the_class(default: str) -> None:
    assert told(OLD, NEW + default, SKIPS) == ["attribute-added core.Base.y breaks 3"]


def test_only_the_constructor_that_is_left_out_reads_it() -> None:
    new = OLD.replace("self.x = 1", "self.x = 1\n        self.y = 2\n        print(self.y)")
    assert [line for line in told(OLD, new, SKIPS) if line.startswith("attribute-added")] == []


def test_only_a_method_that_is_overridden_reads_it() -> None:
    own = SKIPS + "    def go(self):\n        return 0\n"
    assert [line for line in told(OLD, NEW, own) if line.startswith("attribute-added")] == []
    calls = SKIPS + "    def go(self):\n        return super().go()\n"
    assert told(OLD, NEW, calls) == ["attribute-added core.Base.y breaks 3"]


def test_what_another_class_overrides_is_not_overridden_here() -> None:
    other = SKIPS + "class Other(Base):\n    def go(self):\n        return 0\n"
    assert "attribute-added core.Base.y breaks 3" in told(OLD, NEW, other)
    replaced = SKIPS + "def go(self):\n    return 0\nBase.go = go\n"
    found = lib(OLD, NEW, replaced.replace("engine.core", "lib.a"))
    assert [line for line in found if line.startswith("attribute-added")] == []


def test_a_constructor_that_does_run_sets_it() -> None:
    root = "class Root:\n    def __init__(self):\n        self.y = 0\n"
    skips = _calls("super(Base, self).__init__()")
    old, new = root + OLD.replace("Base:", "Base(Root):"), root + NEW.replace("Base:", "Base(Root):")
    assert [line for line in told(old, new, skips) if line.startswith("attribute-added")] == []


def test_a_reader_in_another_module_counts() -> None:
    new = engine(NEW.replace("return self.y", "return self.x"), use="def read(base):\n    return base.y\n")
    (finding,) = compare(engine(OLD), new, {"plugin/use.py": SKIPS})
    assert rows([finding]) == ["attribute-added core.Base.y breaks 3"]
    assert "engine.use" in finding.reason
    assert finding.details == MemberDetails(name="y")


@pytest.mark.parametrize(
    ("receiver", "expected"),
    [
        ("self", []),
        ("self.inner", ["attribute-added core.Base.y breaks 3"]),
    ],
)
def test_an_attribute_of_that_name_of_another_class(receiver: str, expected: list[str]) -> None:
    reader = "\nclass Other:\n    def look(self):\n        return {}.y\n"
    old = OLD + reader.format("self").replace(".y", ".z")
    new = OLD.replace("self.x = 1", "self.x = 1\n        self.y = 2") + reader.format(receiver)
    assert [line for line in told(old, new, SKIPS) if line.startswith("attribute-added")] == expected


@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        pytest.param("def read(base):\n    return base.y\n", "at-risk", id="any object"),
        pytest.param("def read(base: Base):\n    return base.y\n", "breaks", id="an object of the class"),
        pytest.param("def read(base: 'Base'):\n    return base.y\n", "breaks", id="in quotes"),
        pytest.param("def read(base: Other):\n    return base.y\n", "at-risk", id="an object of another"),
        pytest.param("def read(base: Base):\n    return base.inner.y\n", "at-risk", id="of its attribute"),
    ],
)
def test_another_class_has_an_attribute_of_that_name(reader: str, expected: str) -> None:
    other = "class Other:\n    def __init__(self):\n        self.y = 1\n"
    old = OLD + other
    new = OLD.replace("self.x = 1", "self.x = 1\n        self.y = 2") + other + reader
    assert [line for line in told(old, new, SKIPS) if line.startswith("attribute-added")] == [
        f"attribute-added core.Base.y {expected} 3"
    ]


def test_a_method_that_is_inherited_outweighs_what_is_doubtful() -> None:
    other = (
        "class Other:\n    def __init__(self):\n        self.y = 1\n\ndef read(base):\n    return base.y\n"
    )
    assert "attribute-added core.Base.y breaks 3" in told(other + OLD, other + NEW, SKIPS)


def test_what_read_something_else_that_was_lacking_did_not_run() -> None:
    old = OLD.replace("self.x = 1", "self.x = 1\n        self.w = 0").replace(
        "return self.x", "return self.w"
    )
    new = old.replace("self.w = 0", "self.w = 0\n        self.y = 2").replace(
        "return self.w", "return self.w + self.y"
    )
    assert told(old, new, SKIPS) == ["attribute-added core.Base.y at-risk 3"]
    # Here the object has it.
    assert told(old, new, SKIPS.replace("self.x = 1", "self.w = 1")) == [
        "attribute-added core.Base.y breaks 3"
    ]
    another = new + "    def stop(self):\n        return self.y\n"
    assert told(old, another, SKIPS) == ["attribute-added core.Base.y breaks 3"]


KIN = "class Mid{}:\n    def __init__(self):\n        {}\nclass End(Base): ...\n"


@pytest.mark.parametrize(
    ("base", "expected"), [("(Base)", []), ("", ["attribute-added core.Base.y breaks 3"])]
)
def test_a_constructor_that_is_called_derives_from_the_other_one_now(base: str, expected: list[str]) -> None:
    plugin = (
        "from engine.core import End, Mid\nclass Mine(Mid, End):\n    def __init__(self):\n"
        "        Mid.__init__(self)\n"
    )
    inner = "super().__init__()" if base else "pass"
    assert told(OLD + KIN.format("", "pass"), NEW + KIN.format(base, inner), plugin) == expected


def test_a_class_that_answers_for_any_attribute_is_at_risk() -> None:
    """Its ``__getattr__`` is asked for what nothing sets."""
    old = "class Base:\n    def __init__(self):\n        self.a = 1\n    def run(self):\n        return self.a\n"
    new = old.replace("self.a = 1", "self.a = 1\n        self.b = 2").replace(
        "return self.a", "return self.b"
    )
    plugin = (
        "from engine.core import Base\nclass Mine(Base):\n    a = 1\n    def __init__(self):\n        pass\n"
    )
    answers = "    def __getattr__(self, name):\n        return getattr(self.held, name)\n"
    assert told(old, new, plugin) == ["attribute-added core.Base.b breaks 4"]
    assert told(old, new, plugin + answers) == ["attribute-added core.Base.b at-risk 4"]


PIPE = """
class Pipe:
    def __init__(self):
        self.steps = []
    def fit(self):
        self._fit()
    def _fit(self):
        self._log()
    def _log(self):
        return self.steps
class Union:
    def fit(self):
        self._log()
    def _log(self): ...
"""
NOISY = PIPE.replace("= []", "= []\n        self.verbose = 0").replace("self.steps\n", "self.verbose\n")
QUIET = "from engine.core import Pipe\nclass Mine(Pipe):\n    def __init__(self):\n        self.steps = [1]\n"


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ("", "breaks"),
        ("    def fit(self):\n        return 1\n", "at-risk"),
        ("    def _fit(self):\n        return 1\n", "at-risk"),
        ("    def fit(self):\n        self.steps[0].fit()\n", "at-risk"),
        ("    def fit(self):\n        super().fit()\n", "breaks"),
        ("    def fit(self):\n        Pipe.fit(self)\n", "breaks"),
        ("    def fit(self):\n        self._fit()\n", "breaks"),
    ],
)
def test_a_private_reader_whose_callers_are_all_overridden_does_not_run(more: str, verdict: str) -> None:
    """Unless the class goes back to what it overrides, or calls it itself."""
    assert told(PIPE, NOISY, QUIET + more) == [f"attribute-added core.Pipe.verbose {verdict} 3"]


GATE = (
    "class Gate:\n    def __init__(self, n):\n        self.allow = n == 4\n"
    "    def run(self, x):\n        if {test}:\n            return {yes}\n        return {no}\n"
)


@pytest.mark.parametrize(
    ("test", "yes", "no", "sets", "verdict"),
    [
        ("self.allow", "self.most", "x", "self.allow = False", "at-risk"),
        ("self.allow and x < self.most", "x", "-x", "self.allow = False", "at-risk"),
        ("x and self.allow", "self.most if self.allow else x", "x", "self.allow = None", "at-risk"),
        ("x", "self.most if self.allow else x", "x", "self.allow = 0", "at-risk"),
        ("self.allow or x < self.most", "x", "-x", "self.allow = False", "breaks"),
        ("not self.allow", "self.most", "x", "self.allow = False", "breaks"),
        ("self.allow", "x", "self.most", "self.allow = False", "breaks"),
        ("self.allow", "self.most", "x", "self.allow = True", "breaks"),
        ("self.allow", "self.most", "x", "self.allow = False\n        self.allow = n", "breaks"),
    ],
)
def test_what_is_read_only_where_a_flag_is_true_that_never_is(
    test: str, yes: str, no: str, sets: str, verdict: str
) -> None:
    old = GATE.format(test="self.allow", yes="x", no="-x")
    new = GATE.format(test=test, yes=yes, no=no).replace("n == 4", "n == 4\n        self.most = n")
    plugin = f"from lib.a import Gate\nclass Mine(Gate):\n    def __init__(self, n):\n        {sets}\n"
    assert lib(old, new, plugin) == [f"attribute-added lib.a.Gate.most {verdict} 3 most"]


HELPED = "class Base:\n    def __init__(self):\n        self.x = 1\n        self._more()\n    def _more(self):\n        self.y = 2\n"


@pytest.mark.parametrize(
    ("upstream", "plugin", "told"),
    [
        ("    def go(self):\n        return self.y\n", "", ["attribute-added lib.a.Base.y breaks 3 y"]),
        ("    def go(self):\n        self._more()\n        return self.y\n", "", []),
        ("    def go(self):\n        return self.y\n", "        self._more()\n", []),
    ],
)
def test_what_a_helper_of_the_left_out_constructor_sets(upstream: str, plugin: str, told: list[str]) -> None:
    old = (
        "class Base:\n    def __init__(self):\n        self.x = 1\n    def go(self):\n        return self.x\n"
    )
    mine = f"from lib.a import Base\nclass Mine(Base):\n    def __init__(self):\n        self.x = 1\n{plugin}"
    assert lib(old, HELPED + upstream, mine) == told


CHOOSES = (
    "class Op:\n    def __init__(self):\n        self.chosen = self.choose()\n"
    "    def native(self, x): ...\n    def fast(self, x): ...\n    def ours(self, x): ...\n"
    "    def choose(self):\n        if plain():\n            return self.native\n"
    "        return self.ours if other() else self.wrapped(self.fast)\n"
)


@pytest.mark.parametrize(
    ("members", "verdict"),
    [
        ("    def ours(self, x): ...\n", "at-risk"),
        ("    def native(self, x): ...\n    def ours(self, x): return self.native(x)\n", "at-risk"),
        ("    def ours(self, x): return self.fast(x)\n", "breaks"),
        ("    def other(self, x): ...\n", "breaks"),
    ],
)
def test_what_reads_it_is_passed_over_for_a_method_of_the_backend(members: str, verdict: str) -> None:
    chooses = CHOOSES.replace(
        "return self.ours if other() else", "if other():\n            return self.ours\n        return"
    )
    old = f"{chooses}class Base(Op):\n    def __init__(self):\n        self.x = 1\n    def fast(self, x):\n        return self.x\n"
    new = old.replace("self.x = 1", "self.x = 1\n        self.y = 2").replace(
        "return self.x", "return self.y"
    )
    plugin = (
        f"from lib.a import Base\nclass Mine(Base):\n    def __init__(self):\n        self.x = 1\n{members}"
    )
    assert lib(old, new, plugin) == [f"attribute-added lib.a.Base.y {verdict} 3 y"]


@pytest.mark.parametrize(
    ("elsewhere", "verdict"),
    [
        (
            "from lib.a import Op\nclass Other(Op):\n    def native(self, x):\n        return self.fast(x)\n",
            "at-risk",
        ),
        ("def run(self):\n    self.fast(1)\n", "at-risk"),
        ("from lib.a import Base\ndef run(base: Base):\n    base.fast(1)\n", "breaks"),
    ],
)
def test_what_is_passed_over_may_be_called_where_its_class_is_named(elsewhere: str, verdict: str) -> None:
    old = {
        "lib/__init__.py": "",
        "lib/b.py": elsewhere,
        "lib/a.py": "class Op:\n    def choose(self):\n        if x:\n            return self.ours\n        return self.fast\n"
        "    def ours(self, x): ...\n    def fast(self, x): ...\n"
        "class Base(Op):\n    def __init__(self):\n        self.x = 1\n    def fast(self, x):\n        return self.x\n",
    }
    changed = (
        old["lib/a.py"].replace("self.x = 1", "self.x = self.y = 2").replace("return self.x", "return self.y")
    )
    plugin = "from lib.a import Base\nclass Mine(Base):\n    def __init__(self):\n        self.x = 1\n    def ours(self, x): ...\n"
    assert lib(old, {**old, "lib/a.py": changed}, plugin) == [f"attribute-added lib.a.Base.y {verdict} 3 y"]


def test_what_is_read_behind_something_else_that_is_lacking_is_told_once() -> None:
    old = GATE.format(test="x", yes="x", no="-x")
    new = GATE.format(test="self.late", yes="self.most", no="x").replace(
        "n == 4",
        "n == 4\n        self._more(n)\n    def _more(self, n):\n        self.late = n\n        self.most = self.late",
    )
    plugin = "from lib.a import Gate\nclass Mine(Gate):\n    def __init__(self, n):\n        self.allow = n\n"
    assert lib(old, new, plugin) == [
        "attribute-added lib.a.Gate.late breaks 3 late",
        "attribute-added lib.a.Gate.most at-risk 3 most",
    ]


ROOT = """class Root:
    def __init__(self):{root}
    def go(self):
        return self.y
class Base(Root):
    def __init__(self):{base}
"""


def test_what_another_left_out_constructor_set_was_lacking_before() -> None:
    old = ROOT.format(root="\n        self.y = 1", base=" ...")
    new = ROOT.format(root=" ...", base="\n        self.y = 1")
    assert [row for row in told(old, new, SKIPS) if "attribute-added" in row] == []
    assert told(ROOT.format(root=" ...", base=" ..."), new, SKIPS) == ["attribute-added core.Base.y breaks 3"]


def test_what_a_constructor_that_runs_set_is_lacking_now() -> None:
    old = ROOT.format(root="\n        self.y = 1", base=" ...")
    new = ROOT.format(root=" ...", base="\n        self.y = 1")
    calls = SKIPS.replace("import Base\n", "import Base, Root\n").replace(
        "        self.x = 1\n", "        Root.__init__(self)\n"
    )
    assert told(old, new, calls) == ["attribute-added core.Base.y breaks 3"]


@pytest.mark.parametrize(
    ("read", "is_told"),
    [
        ("return self.y if hasattr(self, 'y') else 0", False),
        ("return hasattr(self, 'y') and self.y", False),
        ("return hasattr(self, 'y') and self.x and self.y", False),
        ("if self.x and hasattr(self, 'y'):\n            return self.y", False),
        ("return self.y if hasattr(self, 'x') else 0", True),
        ("return hasattr(self, 'y') or self.y", True),
        ("if not hasattr(self, 'y'):\n            return self.y", True),
    ],
)
def test_what_is_read_only_where_it_is_there(read: str, is_told: bool) -> None:
    new = NEW.replace("return self.y", read)
    assert told(OLD, new, SKIPS) == (["attribute-added core.Base.y breaks 3"] if is_told else [])


@pytest.mark.parametrize(("declared", "verdict"), [("Wide", "at-risk"), ("Base", "breaks")])
def test_what_asks_it_of_whatever_follows_a_protocol(declared: str, verdict: str) -> None:
    wide = "from typing import Protocol\nclass Wide(Protocol):\n    y: int\n"
    base = NEW.replace("class Base:", "class Base(Wide):").replace("return self.y", "return self.x")
    new = f"{wide}{base}def use(one: {declared}):\n    return one.y\n"
    old = OLD.replace("class Base:", "class Base(Wide):")
    found = [row for row in told(f"{wide}{old}", new, SKIPS) if row.startswith("attribute-added")]
    assert [row.split()[2] for row in found] == [verdict]


READS = "class Base:\n    def __init__(self):\n        self.x = 1\n    def go(self):\n        return 2\n"
NOW_READS = READS.replace("return 2", "return self.x")
EMPTY = SKIPS.replace("self.x = 1", "pass")


def test_what_a_left_out_constructor_sets_and_is_newly_read() -> None:
    assert told(READS, NOW_READS, EMPTY) == ["attribute-added core.Base.x breaks 3"]


@pytest.mark.parametrize(
    ("old", "new", "plugin"),
    [
        pytest.param(READS, NOW_READS, SKIPS, id="set here"),
        pytest.param(READS, NOW_READS, EMPTY + "    x = 3\n", id="set in the class here"),
        pytest.param(READS, NOW_READS, EMPTY + "    def go(self): ...\n", id="the reader is overridden"),
        pytest.param(NOW_READS, NOW_READS + "    def stop(self): ...\n", EMPTY, id="read before"),
        pytest.param(READS, NOW_READS + "    def stop(self):\n        self.x = 2\n", EMPTY, id="set elsewhere"),
        pytest.param(READS, NOW_READS, _calls("super().__init__()"), id="called"),
    ],
)  # fmt: skip
def test_what_is_read_as_before_or_set(old: str, new: str, plugin: str) -> None:
    assert told(old, new, plugin) == []
