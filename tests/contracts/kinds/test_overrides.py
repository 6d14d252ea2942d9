"""Overrides: upstream calls them the way its own signature says, and that changed."""

from __future__ import annotations

import pytest

from syncbot.contracts.changes import ParameterDetails
from tests.contracts.compare import compare, engine, rows, told
from tests.contracts.world import audits
from tests.contracts.world import compare as lib

BASE = "class Base:\n    def run(self, x):\n        a = x\n        b = a\n        return b\n"
CALL = "def drive(base: Base):\n    return base.run(1)\n"
HELD = (
    "class Other:\n    def run(self, x, y=0): ...\n"
    "class Driver:\n    def drive(self, base: Base):\n        return base.run(1)\n"
)
TAKES = BASE.replace("x)", "x, y=0)")
MINE = "from engine.core import Base\nclass Mine(Base):\n    def run(self, x):\n        return x\n"


@pytest.mark.parametrize(
    ("old", "new", "plugin", "expected"),
    [
        pytest.param(BASE + CALL, BASE.replace("x)", "x, y)") + CALL.replace("1", "1, 2"), MINE,
                     ["parameter-required core.Base.run breaks 3"], id="required added"),
        pytest.param(BASE + CALL, BASE.replace("x)", "x, y=0)") + CALL.replace("1", "1, y=2"), MINE,
                     ["parameter-added core.Base.run breaks 3"], id="optional added, passed by name"),
        pytest.param(BASE + CALL, BASE.replace("x)", "x, y=0)") + CALL.replace("1", "1, 2"), MINE,
                     ["parameter-added core.Base.run breaks 3"], id="optional added, passed by place"),
        pytest.param(BASE + CALL, BASE.replace("x)", "x, y=0)") + CALL, MINE,
                     ["parameter-added core.Base.run at-risk 3"], id="optional added, passed by nobody"),
        pytest.param(BASE + CALL, BASE.replace("x)", ")").replace("= x", "= 1") + CALL.replace("1", ""), MINE,
                     ["parameter-removed core.Base.run breaks 3"], id="removed"),
        pytest.param(BASE + CALL.replace("1", "x=1"), BASE.replace("x", "z") + CALL.replace("1", "z=1"), MINE,
                     ["parameter-renamed core.Base.run breaks 3"], id="renamed, passed by name"),
        pytest.param(BASE.replace("x)", "x, y)") + CALL.replace("1", "1, 2"),
                     BASE.replace("x)", "y, x)") + CALL.replace("1", "2, 1"),
                     MINE.replace("x)", "x, y)"),
                     ["parameter-reordered core.Base.run breaks 3"], id="reordered"),
        pytest.param(BASE + CALL, BASE.replace("run", "go") + CALL.replace("run", "go"), MINE,
                     ["method-renamed core.Base.run breaks 3"], id="renamed method"),
        pytest.param(BASE + CALL, "class Base: ...\n", MINE,
                     ["method-removed core.Base.run breaks 3"], id="removed, never called again"),
        pytest.param(BASE, "class Base: ...\n", MINE,
                     ["method-removed core.Base.run at-risk 3"], id="removed, never seen called"),
        pytest.param("class Base:\n    def run(self): ...\n", "class Base:\n    async def run(self): ...\n",
                     MINE.replace(", x", "").replace("x", "1"),
                     ["method-kind-changed core.Base.run breaks 3"], id="became async"),
        pytest.param("class Base:\n    def run(self): ...\n",
                     "class Base:\n    @property\n    def run(self): ...\n",
                     MINE.replace(", x", "").replace("x", "1"),
                     ["method-kind-changed core.Base.run breaks 3"], id="became a property"),
        pytest.param("class Base:\n    def run(self): ...\n",
                     "class Base:\n    @classmethod\n    def run(cls): ...\n",
                     MINE.replace(", x", "").replace("x", "1"),
                     ["method-kind-changed core.Base.run breaks 3"], id="became a class method"),
        pytest.param("class Base:\n    @staticmethod\n    def run(x): ...\n",
                     "class Base:\n    def run(self, x): ...\n",
                     MINE.replace("    def", "    @staticmethod\n    def").replace("self, ", ""),
                     ["method-kind-changed core.Base.run at-risk 4"], id="static no more, and ours still is"),
        pytest.param("class Base:\n    def run(self, x) -> None: ...\n",
                     "class Base:\n    def run(self, x) -> int: ...\n",
                     MINE.replace("return x", "print(x)"),
                     ["return-shape-changed core.Base.run breaks 3"], id="has to return something"),
        pytest.param("class Base:\n    def run(self, x) -> None: ...\n",
                     "class Base:\n    def run(self, x) -> int | None: ...\n",
                     MINE.replace("return x", "print(x)"),
                     ["return-shape-changed core.Base.run at-risk 3"], id="may return something"),
        pytest.param("class Base:\n    def run(self, x):\n        return x, 1\n",
                     "class Base:\n    def run(self, x):\n        return x, 1, 2\n",
                     MINE.replace("return x", "return x, 3"),
                     ["return-shape-changed core.Base.run breaks 3"], id="returns a longer tuple"),
        pytest.param("class Base:\n    def run(self, x, **more): ...\ndef drive(base):\n    base.run(1)\n",
                     "class Base:\n    def run(self, x, **more): ...\ndef drive(base):\n"
                     "    base.run(1, y=2)\n", MINE,
                     ["parameter-passed core.Base.run breaks 3"],
                     id="passed through **kwargs"),
        pytest.param(TAKES + CALL, TAKES + CALL.replace("1", "1, y=2"), MINE,
                     ["parameter-passed core.Base.run breaks 3"], id="passed by a caller that did not"),
        pytest.param("class Root:\n    def run(self, x): ...\nclass Base(Root): ...\n",
                     "class Root:\n    def run(self, x, y): ...\nclass Base(Root): ...\n", MINE,
                     ["parameter-required core.Root.run breaks 3"], id="inherited by the base"),
        pytest.param("class Root:\n    def run(self, x): ...\nclass Base(Root): ...\n",
                     "class Root:\n    def run(self, x): ...\nclass Base(Root):\n"
                     "    def run(self, x, y): ...\n", MINE,
                     ["parameter-required core.Base.run breaks 3"], id="overridden between"),
    ],
)  # fmt: skip
def test_overrides_that_no_longer_fit(old: str, new: str, plugin: str, expected: list[str]) -> None:
    assert told(old, new, plugin) == expected


@pytest.mark.parametrize(
    ("old", "new", "plugin"),
    [
        pytest.param(BASE + CALL, BASE.replace("x)", "x, y)") + CALL.replace("1", "1, y=2"),
                     MINE.replace("x)", "x, **more)"), id="takes any keyword"),
        pytest.param(BASE + CALL, BASE.replace("x)", "x, y)") + CALL.replace("1", "1, 2"),
                     MINE.replace("x)", "x, y=None)"), id="takes it already"),
        pytest.param(TAKES + CALL.replace("1", "1, y=2"), TAKES + "\n" + CALL.replace("1", "1, y=3"), MINE,
                     id="passed before, too"),
        pytest.param(TAKES + CALL, TAKES + CALL.replace("1", "1, y=2"),
                     MINE.replace("x)", "x, y=1)"), id="newly passed, taken here"),
        pytest.param(TAKES + HELD, TAKES + HELD.replace(": Base", ": Other").replace("1", "1, y=2"), MINE,
                     id="newly passed to another class"),
        pytest.param("class Base:\n    def __init__(self, x, y=0): ...\ndef f():\n    Base(1)\n",
                     "class Base:\n    def __init__(self, x, y=0): ...\ndef f():\n    Base(1, y=2)\n",
                     MINE.replace("run", "__init__"), id="newly passed to the base's constructor"),
        pytest.param(BASE + CALL, BASE.replace("x)", ")").replace("= x", "= 1") + CALL.replace("1", ""),
                     MINE.replace("x)", "x=0)"), id="removed, optional here"),
        pytest.param(BASE + CALL, BASE.replace("x", "z") + CALL, MINE, id="renamed, passed by place"),
        pytest.param(BASE + CALL, BASE.replace("return b", "return a") + CALL, MINE, id="other body"),
        pytest.param(BASE.replace("x)", "x, y)"), BASE.replace("x)", "y, x)"),
                     MINE.replace("x)", "y, x)"), id="in the new order already"),
        pytest.param("class Base:\n    def run(self, x): ...\n", "class Root:\n    def run(self, x): ...\n"
                     "class Base(Root): ...\n", MINE, id="moved to a base"),
        pytest.param("class Base:\n    def run(self, x) -> None: ...\n",
                     "class Base:\n    def run(self, x) -> int: ...\n", MINE, id="returns something already"),
        pytest.param("class Base:\n    def run(self, x) -> None: ...\n",
                     "class Base:\n    def run(self, x) -> None: ...\nclass Other:\n"
                     "    def run(self, x, y): ...\n", MINE, id="another class"),
        pytest.param("class Base:\n    def run(self, x): ...\n",
                     "class Base:\n    async def run(self, x): ...\n",
                     MINE.replace("def run", "async def run"), id="async already"),
        pytest.param("class Base:\n    def __init__(self, a): ...\n",
                     "class Base:\n    def __init__(self, a, b): ...\n",
                     "from engine.core import Base\nclass Other:\n    def __init__(self, a): ...\n",
                     id="no subclass"),
        pytest.param("class Base:\n    def run(self, x: int): ...\n",
                     "class Base:\n    def run(self, x: 'int | str') : ...\n", MINE, id="annotation changed"),
        pytest.param(BASE, BASE.replace("x)", "x=0)"), MINE.replace("x)", "x=0)"), id="default added"),
        pytest.param("class Root: ...\nclass Base(Root):\n    def __init__(self):\n"
                     "        super().__init__()\n", "class Root: ...\nclass Base(Root): ...\n",
                     "from engine.core import Base\nclass Mine(Base):\n    def __init__(self):\n"
                     "        super().__init__()\n", id="constructor removed"),
    ],
)  # fmt: skip
def test_overrides_that_still_fit(old: str, new: str, plugin: str) -> None:
    assert told(old, new, plugin) == []


def test_a_caller_in_another_module_counts() -> None:
    old = engine(BASE, use="def drive(base):\n    base.run(1)\n")
    new = engine(BASE.replace("x)", "x, y=0)"), use="def drive(base):\n    base.run(1, y=2)\n")
    (finding,) = compare(old, new, {"plugin/use.py": MINE})
    assert rows([finding]) == ["parameter-added core.Base.run breaks 3"]
    assert finding.details == ParameterDetails(
        parameter="y", method="run", base="engine.core.Base", default="0", after="x"
    )
    assert "drive, line 2" in finding.reason


def test_a_caller_that_calls_something_else_proves_nothing() -> None:
    old = engine(BASE, use="def drive(base):\n    base.other(1)\n")
    new = engine(BASE.replace("x)", "x, y=0)"), use="def drive(base):\n    base.other(1, y=2)\n")
    assert rows(compare(old, new, {"plugin/use.py": MINE})) == ["parameter-added core.Base.run at-risk 3"]


THREE = "class Base:\n    def run(self, a, b=0, c=0): ...\ndef drive(base):\n    base.run(1, 2, 3)\n"
OWN = "from engine.core import Base\nclass Mine(Base):\n    def run(self, a, b=0, c=0): ...\n"


def test_what_is_passed_by_place_lands_in_another_parameter() -> None:
    fewer = THREE.replace("b=0, ", "").replace("1, 2, 3", "1, 3")
    assert told(THREE, fewer, OWN) == ["parameter-reordered core.Base.run breaks 3"]
    assert told(THREE, fewer.replace("1, 3", "1, c=3"), OWN) == []
    assert told(THREE, fewer.replace("1, 3", "1"), OWN) == []
    assert told(fewer, THREE, OWN.replace("b=0, c=0", "c=0, b=0")) == [
        "parameter-reordered core.Base.run breaks 3"
    ]
    assert told(fewer, THREE, OWN) == []


SIZE = "class Base:\n    @property\n    def size(self): return 1\n"
SETTER = "    @size.setter\n    def size(self, value): ...\n"
OWN_SIZE = "from engine.core import Base\nclass Mine(Base):\n    @property\n    def size(self): return 2\n"


@pytest.mark.parametrize("plugin", [OWN_SIZE, OWN_SIZE + SETTER])
@pytest.mark.parametrize(("old", "new"), [(SIZE, SIZE + SETTER), (SIZE + SETTER, SIZE)])
def test_a_setter_is_no_other_way_of_reading(old: str, new: str, plugin: str) -> None:
    assert told(old, new, plugin) == []


@pytest.mark.parametrize("call", ["tool.run(1)", "self.run(1)"])
def test_an_override_that_the_backend_calls_itself_is_not_dead(call: str) -> None:
    own = MINE + f"    def use(self, tool):\n        return {call}\n"
    assert told(BASE + CALL, "class Base: ...\n", own) == ["method-removed core.Base.run at-risk 3"]


@pytest.mark.parametrize("call", ["self.worker.run(x)", "Base.run(self, x)", "super().run(x)"])
def test_an_override_that_hands_on_what_it_is_asked_for_is_dead(call: str) -> None:
    own = f"from engine.core import Base\nclass Mine(Base):\n    def run(self, x):\n        return {call}\n"
    rows = told(BASE + CALL, "class Base: ...\n", own)
    assert "method-removed core.Base.run breaks 3" in rows


def test_an_override_that_hands_on_to_a_library_is_a_risk() -> None:
    own = "import torch\nfrom engine.core import Base\nclass Mine(Base):\n    def run(self, x):\n        {}\n"
    rows = told(BASE + CALL, "class Base: ...\n", own.format("return torch.npu.run(x)"))
    assert rows == ["method-removed core.Base.run at-risk 4"]
    rows = told(BASE + CALL, "class Base: ...\n", own.format("return torch.npu.other(x)"))
    assert rows == ["method-removed core.Base.run breaks 4"]
    # What another class hands on says nothing of this one.
    other = (
        own.format("return x + 1") + "class Other:\n    def run(self, x):\n        return torch.npu.run(x)\n"
    )
    assert told(BASE + CALL, "class Base: ...\n", other) == ["method-removed core.Base.run breaks 4"]


def test_an_override_of_several_overloads_is_dead_as_any_other() -> None:
    several = (
        "from typing import overload\nclass Base:\n    @overload\n    def run(self, x): ...\n"
        "    @overload\n    def run(self, x, y): ...\n    def run(self, x, y=None): ...\n"
    )
    new = "class Base: ...\ndef drive(other):\n    other.run(deep=1)\n"
    assert told(several + CALL, new, MINE) == ["method-removed core.Base.run breaks 3"]


def test_an_upstream_method_with_nothing_but_overloads() -> None:
    stubs = (
        "from typing import overload\nclass Base:\n    @overload\n    def run(self, x): ...\n"
        "    @overload\n    def run(self, x, y): ...\n"
    )
    deeper = stubs.replace("x, y)", "x, y, deep)")
    assert told(stubs, deeper, MINE) == ["parameter-required core.Base.run at-risk 3"]


@pytest.mark.parametrize(
    ("call", "found"),
    [
        pytest.param("run(deep=1)", ["method-removed core.Base.run breaks 3"], id="cannot be ours"),
        pytest.param("run(1, 2)", ["method-removed core.Base.run breaks 3"], id="passes too much"),
        pytest.param("run(2)", [], id="may be ours"),
        pytest.param("run(*all)", [], id="may pass anything"),
    ],
)
def test_what_another_class_is_asked_with_what_ours_does_not_take(call: str, found: list[str]) -> None:
    new = f"class Base: ...\ndef drive(other, all):\n    other.{call}\n"
    assert told(BASE + CALL, new, MINE) == found


PROPERTY = "class Base:\n    @property\n    def wide(self):\n        return self.x\n"
READ = "def use(b):\n    return b.wide\n"
WIDE = "from engine.core import Base\nclass M(Base):\n    @property\n    def wide(self):\n        return self.y + 1\n"


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        (PROPERTY + READ, "class Base: ...\n", "breaks"),
        (PROPERTY + READ, "class Base: ...\n" + READ, "at-risk"),
        (PROPERTY, "class Base: ...\n", "at-risk"),
    ],
)
def test_a_property_that_nothing_reads_any_more(old: str, new: str, verdict: str) -> None:
    assert told(old, new, WIDE) == [f"method-removed core.Base.wide {verdict} 4"]
    assert told(old, new, WIDE + "def g(m: M):\n    return m.wide\n") == [
        "method-removed core.Base.wide at-risk 4"
    ]


OTHER = "class Other:\n    def run(self, x): ...\n    def go(self):\n        self.run(2)\n"
HOLDER = "class Holder:\n    def __init__(self, any):\n        self.other = {}\n    def go(self):\n        self.other.run(2)\n"


@pytest.mark.parametrize(
    ("asking", "verdict"),
    [
        pytest.param(OTHER, "breaks", id="its own"),
        pytest.param(OTHER + HOLDER.format("Other()"), "breaks", id="of what it holds"),
        pytest.param(HOLDER.format("any"), None, id="of anything"),
        pytest.param(OTHER.replace("    def run(self, x): ...\n", ""), None, id="of what derives from it"),
        pytest.param(OTHER.replace("Other:", "Other(Base):"), None, id="of kin"),
    ],
)
def test_what_is_asked_of_objects_of_other_classes(asking: str, verdict: str | None) -> None:
    expected = [f"method-removed core.Base.run {verdict} 3"] if verdict else []
    assert told(BASE + CALL, f"class Base: ...\n{asking}", MINE) == expected


def test_what_was_only_asked_of_another_class_before_says_nothing() -> None:
    other = "def drive(other):\n    other.run(deep=1)\n"
    found = told(BASE + other, f"class Base: ...\n{other}".replace("deep=1", "deep=2"), MINE)
    assert found == ["method-removed core.Base.run at-risk 3"]


def test_an_override_that_is_not_there_to_be_called() -> None:
    new = BASE.replace("x)", "z)") + CALL.replace("1", "z=1")
    stub = MINE.replace("return x", "raise NotImplementedError")
    assert stub != MINE
    assert told(BASE + CALL.replace("1", "x=1"), new, stub) == []


@pytest.mark.parametrize(("call", "verdict"), [("2, 1", "breaks"), ("x=1, y=2", "at-risk")])
def test_another_order_matters_to_who_passes_by_place(call: str, verdict: str) -> None:
    old = BASE.replace("x)", "x, y)") + CALL.replace("1", "x=1, y=2")
    new = BASE.replace("x)", "y, x)") + CALL.replace("1", call).replace("run(", "run( ")
    assert told(old, new, MINE.replace("x)", "x, y)")) == [f"parameter-reordered core.Base.run {verdict} 3"]
    assert told(old, new, MINE.replace("x)", "x, y)").replace("return x", "pass")) == []


def test_a_required_parameter_that_an_override_takes_by_place() -> None:
    new = BASE.replace("x)", "x, y)") + CALL.replace("1", "1, 2")
    takes_all = MINE.replace("x)", "*args)")
    assert [row for row in told(BASE + CALL, new, takes_all) if " breaks " in row] == []
    assert told(BASE + CALL, new.replace("2)", "y=2)"), takes_all) == [
        "parameter-required core.Base.run breaks 3"
    ]


@pytest.mark.parametrize(
    ("signature", "override", "expected"),
    [
        pytest.param("self, x", "self, x, y", ["Base.run() has no y, which this override requires"], id="more"),
        pytest.param("self, x", "self, x, *, y", ["Base.run() has no y, which this override requires"],
                     id="more by name"),
        pytest.param("self, x, y", "self, x", ["Base.run() requires y, which this override does not take"],
                     id="less"),
        pytest.param("self, *, y", "self", ["Base.run() requires y, which this override does not take"],
                     id="less by name"),
        pytest.param("self, x", "self, x, y=0", [], id="more, with a default"),
        pytest.param("self, x, y=0", "self, x", [], id="less, with a default"),
        pytest.param("self, x", "self, z", [], id="another name in the same place"),
        pytest.param("self, *args", "self, x", [], id="theirs is open"),
        pytest.param("self, x, y", "self, *args, **kwargs", [], id="ours is open"),
    ],
)  # fmt: skip
def test_an_override_that_no_call_fits(signature: str, override: str, expected: list[str]) -> None:
    base = f"class Base:\n    def run({signature}): ...\n    def __init__({signature}): ...\n"
    mine = (
        f"from lib.a import Base\nclass Mine(Base):\n    def run({override}): ...\n"
        f"    def __init__({override}): ...\n"
    )
    assert audits(base, base, mine) == [f"3: lib.a.{problem}" for problem in expected]


def test_an_override_that_stands_behind_a_static_method_is_compared_without_its_receiver() -> None:
    base = "class Base:\n    @staticmethod\n    def run(x): ...\n"
    mine = "from lib.a import Base\nclass Mine(Base):\n    @staticmethod\n    def run(x{}): ...\n"
    assert audits(base, base, mine.format("")) == []
    assert audits(base, base, mine.format(", y")) == [
        "4: lib.a.Base.run() has no y, which this override requires"
    ]


def test_what_only_upstreams_tests_pass_is_no_news() -> None:
    """They run with upstream's own classes."""
    old, new = TAKES + CALL, TAKES + CALL.replace("1", "1, y=2")
    core = {"engine/__init__.py": "", "engine/tests/__init__.py": "", "engine/core.py": TAKES}
    calls = ("from engine.core import Base\n" + call for call in (CALL, CALL.replace("1", "1, y=2")))
    tree = [core | {"engine/tests/test_core.py": call} for call in calls]
    plugin = {"plugin/use.py": MINE}
    assert rows(compare(*tree, plugin)) == []
    assert told(old, new, MINE) == ["parameter-passed core.Base.run breaks 3"]


def test_what_another_caller_passed_before_is_no_news() -> None:
    """Ours did not take it then either: that caller does not reach it, nor need this one."""
    other = "\ndef steer(base: Base):\n    base.run(1, y=3)\n"
    assert told(TAKES + CALL + other, TAKES + CALL.replace("1", "1, y=2") + other, MINE) == []
    function = "def run(x, y=0): ...\ndef steer():\n    run(1, y=3)\ndef drive():\n    run(1)\n"
    put = "import engine.core\ndef mine(x):\n    return x\nengine.core.run = mine\n"
    assert told(function, function.replace("run(1)", "run(1, y=2)"), put) == [
        "parameter-passed core.run breaks 4"
    ]


@pytest.mark.parametrize(
    ("signature", "verdict"), [("self", "at-risk"), ("self, x", "breaks"), ("self, *, other", "at-risk")]
)
def test_an_override_that_never_fitted_is_called_otherwise(signature: str, verdict: str) -> None:
    """Upstream's signature required what ours does not take: who calls ours is not who calls upstream's."""
    new = BASE.replace("x)", "x, z)")
    found = told(BASE, new, f"""
    from engine.core import Base
    class Mine(Base):
        def run({signature}):
            return 1
    """)  # fmt: skip
    assert found == [f"parameter-required core.Base.run {verdict} 3"]


HANDS_ON = """
from engine.core import Base
class Held:
    def serve(self, x): ...
class Mine(Base):
    def __init__(self, held: Held):
        self.held = held
    def run(self, *args, **kwargs):
        return self.held.serve(*args, **kwargs)
"""


@pytest.mark.parametrize(
    ("plugin", "expected"),
    [
        (HANDS_ON, ["parameter-required core.Base.run breaks 7"]),
        (HANDS_ON.replace("(self, x)", "(self, *given, **more)"), []),
        (HANDS_ON.replace("return self", "print(args)\n        return self"), []),
        (HANDS_ON.replace("serve(*args", "serve(kwargs.pop('y'), *args"), []),
        (HANDS_ON.replace("self.held.serve(", "super().run("), []),
        (HANDS_ON.replace("held: Held", "held"), []),
    ],
    ids=["own method", "takes all as well", "does more", "passes otherwise", "upstream's own", "not known"],
)
def test_an_override_takes_what_it_hands_everything_on_to(plugin: str, expected: list[str]) -> None:
    """Its stars take all, and raise one call further on."""
    assert told(BASE, BASE.replace("x)", "x, y)"), plugin) == expected


LESS = "class Base:\n    def update(self, md, config): ...\n"
UPDATE = "from engine.core import Base\nclass Own(Base):\n    def update(self, md, config): ...\n"


@pytest.mark.parametrize(
    ("parameters", "verdict"),
    [
        ("self", "breaks"),
        ("self, *args, **kwargs", "at-risk"),
        ("self, *args", "at-risk"),
        ("self, **kwargs", "breaks"),
    ],
)
def test_what_takes_anything_may_be_given_what_ours_requires(parameters: str, verdict: str) -> None:
    rows = told(LESS, LESS.replace("self, md, config", parameters), UPDATE)
    assert {row.split()[2] for row in rows} == {verdict}


ASSIGNED_OLD = "class A:\n    def run(self, x): ...\n    def go(self): return self.run(1)\n"
ASSIGNED_NEW = "class A:\n    def run(self, x, y): ...\n    def go(self): return self.run(1, 2)\n"


@pytest.mark.parametrize(
    ("plugin", "line"),
    [
        ("def mine(self, x): ...\nclass B(A):\n    run = mine\n", 4),
        ("class B(A):\n    def mine(self, x): ...\n    run = mine\n", 4),
        ("class C:\n    def run(self, x): ...\nclass B(A):\n    run = C.run\n", 5),
    ],
)
def test_a_function_that_a_class_body_only_gives_the_name_overrides_as_well(plugin: str, line: int) -> None:
    told = lib(ASSIGNED_OLD, ASSIGNED_NEW, f"from lib.a import A\n{plugin}")
    assert told == [f"parameter-required lib.a.A.run breaks {line} y"]


@pytest.mark.parametrize(
    "plugin",
    [
        "class B(A):\n    run = None\n",
        "def mine(self, x, y): ...\nclass B(A):\n    run = mine\n",
        "def mine(self, x): ...\nclass B(A):\n    other = mine\n",
        "def mine(self, x): ...\nclass B(A):\n    run = decorated(mine)\n",
    ],
)
def test_names_of_a_class_body_that_no_upstream_caller_is_broken_by(plugin: str) -> None:
    assert lib(ASSIGNED_OLD, ASSIGNED_NEW, f"from lib.a import A\n{plugin}") == []


ENDS = "class C:\n    def end(self, a, b, unused=0): ...\nclass R:\n    def go(self, c: C):\n        c.end(1, 2, 3)\n"
SHORT = ENDS.replace(", unused=0", "").replace("1, 2, 3", "1, 2")


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("self, a, b, index", ["parameter-removed lib.a.C.end breaks 3 unused"]),
        ("self, a, b, unused", ["parameter-removed lib.a.C.end breaks 3 unused"]),
        ("self, a, b, index=0", []),
        ("self, a, b", []),
        ("self, a, b, *index", []),
    ],
)
def test_an_override_requires_by_place_what_upstream_takes_no_more(
    parameters: str, expected: list[str]
) -> None:
    plugin = f"from lib.a import C\nclass M(C):\n    def end({parameters}): ...\n"
    assert lib(ENDS, SHORT, plugin) == expected


HAS = "class D:\n    def has(self, name, schema=None): ...\nclass I:\n    def look(self):\n        return self.d.has(1, 2)\n"


@pytest.mark.parametrize(
    ("call", "parameters", "expected"),
    [
        (
            "1, 2, info=3, **self.kw",
            "self, name, schema=None",
            ["parameter-passed lib.a.D.has breaks 3 info"],
        ),
        ("1, schema=2, info=3", "self, name, schema=None", ["parameter-passed lib.a.D.has breaks 3 info"]),
        ("1, schema=2", "self, name, schema=None", []),
        ("1, 2, info=3", "self, name, schema=None, info=None", []),
        ("1, 2, info=3", "self, name, schema=None, **kw", []),
    ],
)
def test_upstreams_own_takes_any_keyword_now(call: str, parameters: str, expected: list[str]) -> None:
    new = HAS.replace("schema=None", "schema=None, **kw").replace("has(1, 2)", f"has({call})")
    plugin = f"from lib.a import D\nclass M(D):\n    def has({parameters}): ...\n"
    assert lib(HAS, new, plugin) == expected


@pytest.mark.parametrize(
    ("ours", "expected"),
    [
        ("self, outputs", []),
        ("self, *outputs", []),
        ("self", ["parameter-required lib.a.H.end breaks 3 out"]),
        ("self, *, outputs=1", ["parameter-required lib.a.H.end breaks 3 out"]),
    ],
)
def test_what_took_whatever_it_was_given_names_what_ours_takes_by_place(
    ours: str, expected: list[str]
) -> None:
    old = "class H:\n    def end(self, *args, **kwargs): ...\n"
    plugin = f"from lib.a import H\nclass M(H):\n    def end({ours}): ...\n"
    assert lib(old, old.replace("*args, **kwargs", "out"), plugin) == expected


def test_a_constructor_of_ours_takes_what_its_own_makers_pass() -> None:
    old = "class C:\n    def __init__(self, a=None, b=None): ...\n"
    new = old.replace("a=None, b=None", "")
    plugin = "from lib.a import C\nclass M(C):\n    def __init__(self, folder):\n        super().__init__()\n"
    assert lib(old, new, plugin) == []


def test_a_name_that_many_define_is_not_told_apart_by_its_keywords() -> None:
    old = "class Base:\n    def forward(self, a): ...\n"
    new = old.replace("a)", "*args, **kwargs)") + "\ndef go(layer):\n    layer.forward(1, scale=2)\n"
    others = "".join(f"class C{n}:\n    def forward(self): ...\n" for n in range(12))
    many = {f"lib/m{n}.py": others for n in range(12)}
    backend = "from lib.a import Base\n\nclass Own(Base):\n    def forward(self, a): ...\n"
    passed = [row for row in lib(old, new, backend) if row.startswith("parameter-passed")]
    assert passed == ["parameter-passed lib.a.Base.forward breaks 4 scale"]
    among = lib({"lib/a.py": old, **many}, {"lib/a.py": new, **many}, backend)
    assert not [row for row in among if row.startswith("parameter-passed")]


RUN = "class T:\n    def m(self, x): ...\n    def run(self):\n        self.m(1)\n"
RUN_TWO = RUN.replace("x)", "x, y)").replace("m(1)", "m(1, 2)")
MADE = "import functools\nfrom lib.a import T\ndef new(self, x): ...\nclass M(T):\n    {}\n{}"


@pytest.mark.parametrize(
    ("inside", "after", "line"),
    [
        ("m = lambda self, x: 1", "", 5),
        ("m = functools.partialmethod(new)", "", 5),
        ("m = functools.wraps(T.m)(new)", "", 5),
        ("pass", "M.m = new\n", 6),
        ("pass", "M.m = lambda self, x: 1\n", 6),
        ("pass", "def go():\n    M.m = functools.lru_cache(new)\n", 7),
    ],
)
def test_what_is_made_for_a_class(inside: str, after: str, line: int) -> None:
    found = lib(RUN, RUN_TWO, MADE.format(inside, after))
    assert found == [f"parameter-required lib.a.T.m breaks {line} y"]


@pytest.mark.parametrize(
    ("inside", "after"),
    [
        ("m = lambda self, x, y=0: 1", ""),
        ("m = lambda self, *given, **more: 1", ""),
        ("m = adapted(new)", ""),
        # It is a function of the class that is made another one, not that of the module.
        ("def new(self, x, y): ...\n    m = functools.wraps(T.m)(new)", ""),
        ("pass", "M.m = adapted(new)\n"),
        ("pass", "M.other = new\n"),
        ("pass", "M().m = adapted(new)\n"),
        ("pass", "def go():\n    was = M.m\n    M.m = new\n    run()\n    M.m = was\n"),
    ],
)
def test_what_is_made_for_a_class_and_fits(inside: str, after: str) -> None:
    assert lib(RUN, RUN_TWO, MADE.format(inside, after)) == []


@pytest.mark.parametrize(
    ("was", "now", "ours", "expected"),
    [
        ("1", "1, 2", "self, x", ["parameter-passed lib.a.Base.run breaks 3 kind"]),
        ("1", "1, 2", "self, x, kind=0", []),
        ("1", "1, 2", "self, x, *more", []),
        ("1", "1, *two", "self, x", []),
        ("1, 2", "1, 2", "self, x", []),
    ],
)
def test_one_more_argument_by_place(was: str, now: str, ours: str, expected: list[str]) -> None:
    base = (
        "class Base:\n    def run(self, x, kind=1): ...\n\n\ndef use(base: Base, two=()):\n    base.run({})\n"
    )
    plugin = f"from lib.a import Base\nclass Mine(Base):\n    def run({ours}): ...\n"
    found = [row for row in lib(base.format(was), base.format(now), plugin) if "passed" in row]
    assert found == expected
