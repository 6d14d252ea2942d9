"""Subclasses: what an upstream base newly asks of the classes that derive from it."""

from __future__ import annotations

import pytest

from syncbot.contracts.discovery import discover
from syncbot.contracts.kinds.subclasses import SubclassContract
from syncbot.contracts.registry import audit_of
from syncbot.contracts.sources import in_memory
from tests.contracts.compare import PACKAGES, compare, engine, rows, told
from tests.contracts.world import comparison

ABC = "from abc import ABC, ABCMeta, abstractmethod\n"
BASE = ABC + "class Base(ABC):\n    def run(self): ...\n"
META = BASE.replace("ABC)", "metaclass=ABCMeta)")
STOP = "    @abstractmethod\n    def stop(self): ...\n"
MINE = "from engine.core import Base\nclass Mine(Base):\n    pass\n"


@pytest.mark.parametrize(
    ("old", "new", "plugin", "expected"),
    [
        pytest.param(BASE, BASE + STOP, MINE, ["abstract-method-added core.Base.stop breaks 2"], id="added"),
        pytest.param(META, META + STOP, MINE, ["abstract-method-added core.Base.stop breaks 2"],
                     id="by metaclass"),
        pytest.param(BASE, BASE.replace("    def", "    @abstractmethod\n    def"), MINE,
                     ["abstract-method-added core.Base.run breaks 2"], id="an old method became abstract"),
        pytest.param(BASE, BASE + "    @property\n" + STOP, MINE,
                     ["abstract-method-added core.Base.stop breaks 2"], id="abstract property"),
        pytest.param(BASE + "class Child(Base): ...\n", BASE + STOP + "class Child(Base): ...\n",
                     MINE.replace("Base", "Child"), ["abstract-method-added core.Base.stop breaks 2"],
                     id="two bases up"),
        pytest.param(BASE, BASE + STOP, MINE + "class More(Mine):\n    pass\n",
                     ["abstract-method-added core.Base.stop breaks 2",
                      "abstract-method-added core.Base.stop breaks 4"], id="derived again"),
        pytest.param(BASE + STOP, BASE + STOP + STOP.replace("stop", "halt"), MINE,
                     ["abstract-method-added core.Base.halt at-risk 2"], id="the class is abstract itself"),
        pytest.param(BASE, ABC + "def Base(*bases): ...\n", MINE,
                     ["class-became-function core.Base at-risk 1",
                      "class-became-function core.Base breaks 2"],
                     id="class became a function"),
    ],
)  # fmt: skip
def test_bases_that_ask_for_more(old: str, new: str, plugin: str, expected: list[str]) -> None:
    assert told(old, new, plugin) == expected


@pytest.mark.parametrize(
    ("new", "plugin"),
    [
        pytest.param(BASE + STOP, MINE.replace("pass", "def stop(self): ..."), id="implemented"),
        pytest.param(BASE + STOP, MINE.replace("pass", "stop = print"), id="assigned"),
        pytest.param(BASE + STOP, "from engine.core import Base\nclass Mixin:\n    def stop(self): ...\n"
                     "class Mine(Mixin, Base): ...\n", id="implemented by a mixin"),
        pytest.param(BASE + STOP + "class Child(Base):\n    def stop(self): ...\n",
                     MINE.replace("Base", "Child"), id="implemented between"),
        pytest.param(BASE + "    def stop(self): ...\n", MINE, id="not abstract"),
        pytest.param(BASE.replace("(ABC)", "") + STOP, MINE, id="nothing enforces it"),
        pytest.param(BASE + "class Other(ABC):\n" + STOP, MINE, id="another class"),
    ],
)  # fmt: skip
def test_bases_that_ask_for_nothing_new(new: str, plugin: str) -> None:
    old = BASE + "class Child(Base): ...\n"
    assert [line for line in told(old, new, plugin) if "abstract" in line] == []


def test_a_mixin_behind_the_base_does_not_implement_it() -> None:
    plugin = "from engine.core import Base\nclass Mixin:\n    def stop(self): ...\n"
    plugin += "class Mine(Base, Mixin): ...\n"
    assert told(BASE, BASE + STOP, plugin) == ["abstract-method-added core.Base.stop breaks 4"]


def test_a_method_left_open_counts_where_upstream_calls_it() -> None:
    old = "class Base:\n    def run(self): ...\n"
    new = old + "    def seed(self):\n        raise NotImplementedError\n"
    calling = engine(new, use="def go(base):\n    base.seed()\n")
    assert rows(compare(engine(old), calling, {"plugin/use.py": MINE})) == [
        "method-left-open core.Base.seed at-risk 2"
    ]
    assert compare(engine(old), engine(new), {"plugin/use.py": MINE}) == []
    own = MINE.replace("pass", "def seed(self): ...")
    assert compare(engine(old), calling, {"plugin/use.py": own}) == []


SEEDING = {
    "an imported name": "base: Base = make()\n\n\ndef go(): base.seed()\n",
    "a name imported inside": "def go():\n    from engine.held import base\n    base.seed()\n",
    "a parameter": "def go(base: Base): base.seed()\n",
}


@pytest.mark.parametrize("uses", SEEDING.values(), ids=SEEDING)
def test_a_method_left_open_breaks_where_a_function_that_is_called_here_calls_it(uses: str) -> None:
    open_ = "class Base:\n    def run(self): ...\n    def seed(self):\n        raise NotImplementedError\n"
    head, held = "from engine.core import Base\n", "from engine.core import Base\nbase: Base = make()\n"
    old = engine(open_.partition("    def seed")[0], use=f"{head}def go(base=None): ...\n", held=held)
    new = engine(open_, use=head + uses, held=held)
    mine = f"from engine.use import go\n{MINE}\n\ndef begin():\n    go()\n"

    def found(plugin: str, more: str = "") -> list[str]:
        files = {"plugin/use.py": plugin, "plugin/more.py": more}
        return [row for row in rows(compare(old, new, files)) if "left-open" in row]

    assert found(mine) == ["method-left-open core.Base.seed breaks 3"]
    quiet = ["method-left-open core.Base.seed at-risk 3"]
    assert found(mine.replace("    go()", "    pass")) == quiet, "nobody calls it"
    assert found(mine.replace("    go()", "    other.go()")) == quiet, "another of that name"
    below = "from plugin.use import Mine\nclass Below(Mine):\n    def seed(self): ...\n"
    assert found(mine, below) == quiet, "the class that is used may be one that has it"


@pytest.mark.parametrize(
    ("uses", "expected"),
    [
        ("def go(other=None): other.seed()\n", ["method-left-open core.Base.seed at-risk 3"]),
        (
            "from engine import core\ndef go(): core.made.seed()\n",
            ["method-left-open core.Base.seed at-risk 3"],
        ),
        ("import torch\ndef go(): torch.seed()\n", []),
        ("from torch import cuda\ndef go(): cuda.random.seed()\n", []),
    ],
)
def test_a_method_left_open_of_another_receiver_is_another_one(uses: str, expected: list[str]) -> None:
    """An object from elsewhere does not have upstream's method."""
    old = engine("class Base:\n    def run(self): ...\n", use="def go(): ...\n")
    new = engine(
        "class Base:\n    def run(self): ...\n    def seed(self):\n        raise NotImplementedError\n",
        use=uses,
    )
    mine = f"from engine.use import go\n{MINE}\n\ndef begin():\n    go()\n"
    assert rows(compare(old, new, {"plugin/use.py": mine})) == expected


def test_the_audit_names_what_a_class_lacks() -> None:
    backend = in_memory({"plugin/use.py": MINE + "class Done(Base):\n    def stop(self): ...\n"})
    pair = comparison(engine(BASE), engine(BASE + STOP), backend, PACKAGES)
    found = [c for c in discover(backend, pair.old, PACKAGES) if isinstance(c, SubclassContract)]
    said = [problem for c in found if (audit := audit_of(c)) for problem in audit(c, pair.new)]
    assert said == ["Mine does not implement the abstract engine.core.Base.stop"]


FILLS = "class Base:\n    def run(self):\n        self._fill(1)\n    def _fill(self, size): ...\n"


@pytest.mark.parametrize(
    ("new", "ours", "expected"),
    [
        pytest.param(FILLS, "self", ["method-introduced core.Base._fill breaks 3"], id="takes less"),
        pytest.param(FILLS, "self, a, b", ["method-introduced core.Base._fill breaks 3"], id="wants more"),
        pytest.param(FILLS, "self, a", [], id="fits"),
        pytest.param(FILLS, "self, *a", [], id="takes anything"),
        pytest.param(FILLS.replace("self._fill(1)", "pass"), "self", [], id="nobody calls it"),
        pytest.param(FILLS.replace("self._fill(1)", "other._fill(1)"), "self", [], id="of something else"),
        pytest.param(
            FILLS.replace("Base", "Another") + BASE.replace("(ABC)", ""), "self", [], id="another class"
        ),
    ],
)
def test_a_method_that_upstream_introduces_under_our_name(new: str, ours: str, expected: list[str]) -> None:
    plugin = f"from engine.core import Base\nclass Mine(Base):\n    def _fill({ours}): ...\n"
    assert told(BASE.replace("(ABC)", ""), new, plugin) == expected


DECLARED = "class Core:\n    def __init__(self, base: Base):\n        self.base = base\n    def step(self):\n"


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        pytest.param("self.base._fill(1)", ["method-introduced core.Base._fill breaks 3"], id="of a declared one"),
        pytest.param("self.base._fill()", [], id="as ours takes it"),
        pytest.param("self.other._fill(1)", [], id="of nobody knows what"),
    ],
)  # fmt: skip
def test_a_method_that_upstream_introduces_and_calls_on_what_is_declared(
    calls: str, expected: list[str]
) -> None:
    plugin = "from engine.core import Base\nclass Mine(Base):\n    def _fill(self): ...\n"
    old, new = BASE.replace("(ABC)", ""), FILLS.replace("self._fill(1)", "pass")
    assert told(old + DECLARED + "        pass\n", new + DECLARED + f"        {calls}\n", plugin) == expected


def test_a_method_that_hides_its_caller_is_not_called() -> None:
    plugin = (
        "from engine.core import Base\nclass Mine(Base):\n    def _fill(self): ...\n    def run(self): ...\n"
    )
    assert told(BASE.replace("(ABC)", ""), FILLS, plugin) == []


MIXINS = [
    "from typing import TYPE_CHECKING\nfrom engine.core import Base\n"
    "class Mine(Base if TYPE_CHECKING else object):\n    def run(self, a): ...\n",
    "import typing\nif typing.TYPE_CHECKING:\n    from engine.core import Base as Over\nelse:\n    Over = object\n"
    "class Mine(Over):\n    def run(self, a): ...\n",
]


@pytest.mark.parametrize("mixin", MIXINS)
def test_a_mixin_is_of_what_type_checkers_read(mixin: str) -> None:
    old = "class Base:\n    def run(self, a): ...\ndef go(b):\n    b.run(1)\n"
    new = "class Base:\n    def run(self, a, b=0): ...\ndef go(b):\n    b.run(1, b=2)\n"
    assert [row.rpartition(" ")[0] for row in told(old, new, mixin)] == [
        "parameter-added core.Base.run breaks"
    ]
    assert (
        told(
            old,
            new,
            mixin.replace("TYPE_CHECKING else", "other() else").replace("Over = object", "Over = Mix"),
        )
        == []
    )


ASKED = "class Base:\n    def run(self): ...\n"
OPEN = "    def stop(self):\n        raise NotImplementedError\n"


@pytest.mark.parametrize(
    ("asks", "expected"),
    [
        ("def end(pool):\n    pool.each('stop')\n", ["method-left-open core.Base.stop at-risk 2"]),
        ('def end(pool):\n    pool.each("stop", 1)\n', ["method-left-open core.Base.stop at-risk 2"]),
        ("NAMES = ['stop']\n", []),
        ("def end(pool):\n    pool.each('run')\n", []),
    ],
)
def test_a_method_left_open_counts_where_upstream_asks_for_it_by_name(asks: str, expected: list[str]) -> None:
    assert told(ASKED, f"{ASKED}{OPEN}{asks}", MINE) == expected


UNION = "import typing\nfrom typing import TypeAlias, Union\nclass A: ...\nclass B: ...\n{} = {}\n"


@pytest.mark.parametrize("now", ["A | B", "Union[A, B]", "typing.Optional[A]"])
@pytest.mark.parametrize("head", ["Base", "Base: TypeAlias"])
def test_a_base_that_is_a_union_now(head: str, now: str) -> None:
    found = told("class Base: ...\n", UNION.format(head, now), MINE)
    assert "type-changed core.Base breaks 2" in found


@pytest.mark.parametrize("now", ["A", "make(A, B)", "typing.Annotated[A, B]", "A or B"])
def test_a_base_that_may_be_a_class_still(now: str) -> None:
    found = told("class Base: ...\n", UNION.format("Base", now), MINE)
    assert [row for row in found if "breaks" in row] == []
