"""Monkey-patches: whether the patched name is still there, still the definition, and still called so."""

from __future__ import annotations

import pytest

from syncbot.contracts.changes import NameDetails
from tests.contracts.compare import compare, engine, rows, text, told
from tests.contracts.world import compare as lib
from tests.contracts.world import compare as lib_compare

F = "def f(a):\n    b = a\n    return b\n"
TOOL = "class Tool:\n    def run(self, a): ...\n"
MOD = "from engine import core\ndef mine(a): ...\ncore.f = mine\n"
CLS = "from engine.core import Tool\ndef mine(self, a): ...\nTool.run = mine\n"
CALL_F = "def go():\n    f(1)\n"


@pytest.mark.parametrize(
    ("old", "new", "plugin", "expected"),
    [
        pytest.param(F, "", MOD, ["patch-target-removed core.f breaks 3"], id="function removed"),
        pytest.param(TOOL, "class Tool: ...\n", CLS,
                     ["patch-target-removed core.Tool.run breaks 3"], id="method removed"),
        pytest.param(F, "", "import engine.core\ndef mine(a): ...\nsetattr(engine.core, 'f', mine)\n",
                     ["patch-target-removed core.f breaks 3"], id="setattr"),
        pytest.param(F, "", "from engine import core\ndef mine(a): ...\nif hasattr(core, 'f'):\n"
                     "    core.f = mine\n",
                     ["attribute-removed core.f at-risk 3", "patch-target-removed core.f breaks 4"],
                     id="the test for it hides it"),
        pytest.param(F, "from engine.other import f\n", MOD,
                     ["patch-target-moved core.f at-risk 3"], id="only an alias now"),
        pytest.param(F, F.replace("(a)", "(a, c)"), MOD,
                     ["parameter-required core.f breaks 3"], id="required added"),
        pytest.param(F + CALL_F, F.replace("(a)", "(a, c=0)") + CALL_F.replace("1", "1, c=2"), MOD,
                     ["parameter-added core.f breaks 3"], id="optional added and passed"),
        pytest.param(F, F.replace("(a)", "(a, c=0)"), MOD,
                     ["parameter-added core.f at-risk 3"], id="optional added"),
        pytest.param(TOOL, TOOL.replace("a)", "a, b)"), CLS,
                     ["parameter-required core.Tool.run breaks 3"], id="method"),
        pytest.param(TOOL, TOOL.replace("    def", "    @staticmethod\n    def").replace("self, ", ""), CLS,
                     ["method-kind-changed core.Tool.run breaks 3"], id="method became static"),
        pytest.param("LIMIT = 1\n", "", "from engine import core\ncore.LIMIT = 2\n",
                     ["patch-target-removed core.LIMIT breaks 2"], id="constant removed"),
        pytest.param("class Tool:\n    size = 1\n", "class Tool: ...\n",
                     "from engine.core import Tool\nTool.size = 2\n",
                     ["patch-target-removed core.Tool.size breaks 2"], id="class attribute removed"),
        pytest.param(F, F.replace("def", "async def"), MOD,
                     ["method-kind-changed core.f breaks 3"], id="became async"),
    ],
)  # fmt: skip
def test_patches_without_effect_or_that_no_longer_fit(
    old: str, new: str, plugin: str, expected: list[str]
) -> None:
    assert told_with_other(old, new, plugin) == expected


@pytest.mark.parametrize(
    ("old", "new", "plugin"),
    [
        pytest.param(F, F.replace("return b", "return a"), MOD, id="other body"),
        pytest.param(F, F.replace("(a)", "(a, c=0)"), MOD.replace("(a)", "(a, **more)"), id="takes it"),
        pytest.param(F, F.replace("(a)", "(a, c=0)"), MOD.replace("(a)", "(a, c=1)"), id="has it already"),
        pytest.param(F, F.replace("(a)", "(a, c=0)"), MOD.replace("core.f = mine", "core.f = print"),
                     id="replaced by a foreign function"),
        pytest.param(TOOL, "class Root:\n    def run(self, a): ...\nclass Tool(Root): ...\n", CLS,
                     id="method moved to a base"),
        pytest.param("LIMIT = 1\n", "LIMIT = 2\n", "from engine import core\ncore.LIMIT = 2\n",
                     id="constant has another value"),
        pytest.param("", "x = 1\n", "from engine import core\ncore.fresh = 2\n", id="the patch adds a name"),
        pytest.param(F, "", "from engine import other as core\ndef mine(a): ...\ncore.f = mine\n",
                     id="another module"),
        pytest.param("from engine.other import f\n", "from engine.other import f\nx = 1\n", MOD,
                     id="an alias before as well"),
        pytest.param(F, "", "class Own: ...\ncore = Own()\ncore.f = 1\n", id="an object of the backend"),
    ],
)  # fmt: skip
def test_patches_that_still_work(old: str, new: str, plugin: str) -> None:
    assert told_with_other(old, new, plugin) == []


def test_the_new_home_of_a_patched_name_is_told() -> None:
    old, new = engine(F, other="x = 1\n"), engine("", other="x = 1\n" + F)
    found = compare(old, new, {"plugin/use.py": MOD})
    assert rows(found) == ["patch-target-removed core.f breaks 3"]
    assert found[0].details == NameDetails(old="engine.core.f", new="engine.other.f")


def test_a_call_of_what_is_patched_binds_to_the_replacement() -> None:
    plugin = MOD.replace("(a)", "(a, c=0)") + "core.f(1, c=2)\n"
    assert told(F, F.replace("return b", "return +b"), plugin) == []
    unpatched = "from engine import core\ncore.f(1)\n"
    assert told(F, F.replace("(a)", "(a, c)"), unpatched) == ["parameter-added core.f breaks 2"]
    patched = MOD + "core.f(1)\n"
    assert told(F, F.replace("(a)", "(a, c)"), patched) == ["parameter-required core.f breaks 3"]


def told_with_other(old: str, new: str, plugin: str) -> list[str]:
    """As ``told``, beside a module ``other`` that has a function ``f`` throughout."""
    return rows(compare(engine(old, other=F), engine(new, other=F), {"plugin/use.py": plugin}))


LIB = {"engine/core.py": "def f(x, fast=False): ...\n", "engine/api.py": "from engine.core import f\n"}


@pytest.mark.parametrize("patch", ["engine.core.f = own", "engine.api.f = own"])
def test_a_call_that_reaches_what_the_backend_put_there(patch: str) -> None:
    old = {"engine/__init__.py": "", **LIB}
    new = {**old, "engine/core.py": "def f(x): ...\n"}
    replacing = f"import engine.core, engine.api\ndef own(x, fast=False): ...\n{patch}\n"
    using = "from engine.{} import f\ndef g():\n    return f(1, fast=True)\n"
    through = patch.split(".")[1]
    own = compare(old, new, {"plugin/patch.py": replacing, "plugin/use.py": using.format(through)})
    assert [row for row in rows(own) if row.startswith("parameter-removed")] == []
    if through == "api":
        other = compare(old, new, {"plugin/patch.py": replacing, "plugin/use.py": using.format("core")})
        assert rows(other) == ["parameter-removed core.f breaks 3"]


TOOLS = "class Tool:\n    def run(self, a, b=0): ...\n"
OWN_TOOL = (
    "from engine.core import Tool\nclass OwnTool(Tool):\n    def go(self):\n        super().run(1, b=2)\n"
)
ASSIGN = "from engine.core import Tool\ndef own({}): ...\nTool.run = own\n"


@pytest.mark.parametrize("call", ["super().run(1, b=2)", "self.run(1, b=2)", "Tool().run(1, b=2)"])
def test_a_method_of_the_backend_that_stands_in_the_class_is_what_is_called(call: str) -> None:
    new = TOOLS.replace(", b=0", "")
    using = OWN_TOOL.replace("super().run(1, b=2)", call)
    alone = compare(engine(TOOLS), engine(new), {"plugin/use.py": using})
    assert rows(alone) == ["parameter-removed core.Tool.run breaks 4"]
    patched = {"plugin/use.py": using, "plugin/patch.py": ASSIGN.format("self, a, b=0")}
    assert rows(compare(engine(TOOLS), engine(new), patched)) == []


def test_a_function_that_hands_on_what_it_is_given_is_still_upstreams() -> None:
    handing_on = {"plugin/use.py": OWN_TOOL, "plugin/patch.py": ASSIGN.format("self, *args, **kwargs")}
    found = compare(engine(TOOLS), engine(TOOLS.replace(", b=0", "")), handing_on)
    assert rows(found) == ["parameter-removed core.Tool.run breaks 4"]


def test_a_name_imported_before_it_is_assigned_onto_is_still_upstreams() -> None:
    before = "from engine import core\nfrom engine.core import f\ndef own(a):\n    f(a, c=1)\ncore.f = own\n"
    found = told("def f(a, c=0): ...\n", "def f(a): ...\n", before)
    assert found == ["parameter-removed core.f breaks 4"]
    by_attribute = before.replace("f(a, c=1)", "core.f(a, c=1)").replace("from engine.core import f\n", "")
    assert told("def f(a, c=0): ...\n", "def f(a): ...\n", by_attribute) == []


def test_what_is_defined_where_its_module_went_is_no_alias() -> None:
    plugin = {"plugin/use.py": "import engine.old\ndef mine(a): ...\nengine.old.f = mine\n"}
    old, new = {"engine/__init__.py": "", "engine/old.py": F}, {"engine/__init__.py": "", "engine/new.py": F}
    kinds = {finding.kind for finding in compare(old, new, plugin)}
    assert "module-moved" in kinds
    assert "patch-target-moved" not in kinds
    assert "patch-target-moved" in {
        f.kind for f in compare(old, {**new, "engine/old.py": "from engine.new import f\n"}, plugin)
    }


INNER = """
from engine.core import Tool
import functools
def apply():
    before = Tool.run
    {decorator}
    def mine(self, a):
        return before(self, a)
    {more}
    Tool.run = mine
"""
KEEP = "# nothing"
RUNS = "class User:\n    def go(self, tool: Tool):\n        tool.run(1{})\n"
GROWN = TOOL.replace("(self, a)", "(self, a, last=0)") + RUNS.format(", last=2")


@pytest.mark.parametrize("decorator", [KEEP, "@functools.wraps(before)"])
def test_a_function_inside_the_one_that_puts_it_there(decorator: str) -> None:
    rows_ = told(TOOL + RUNS.format(""), GROWN, INNER.format(decorator=decorator, more="pass"))
    assert rows_ == ["parameter-added core.Tool.run breaks 9"]


@pytest.mark.parametrize(
    ("decorator", "more"),
    [("@adapting", "pass"), (KEEP, "mine = other(mine)"), (KEEP, "def mine(self, *all, **more): ...")],
)
def test_a_function_inside_that_may_have_become_another_one(decorator: str, more: str) -> None:
    assert told(TOOL + RUNS.format(""), GROWN, INNER.format(decorator=decorator, more=more)) == []


LATER = "import threading\nfrom functools import partial\n\n\ndef run(a): ...\n\n\ndef begin():\n    {}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "threading.Thread(target=run, args=(1,))",
            "threading.Thread(target=run, args=(1,), kwargs={'b': 2})",
        ),
        ("pool.submit(run, 1)", "pool.submit(run, 1, b=2)"),
        ("partial(run, 1)", "partial(run, 1, b=2)"),
        ("from lib.a import run as go\n    go(1)", "from lib.a import run as go\n    go(1, b=2)"),
    ],
)
def test_upstream_hands_on_what_the_replacement_does_not_take(before: str, after: str) -> None:
    old, new = LATER.format(before), LATER.replace("run(a)", "run(a, b=0)").format(after)
    told = lib(old, new, "import lib.a\n\n\ndef ours(a): ...\n\n\nlib.a.run = ours\n")
    assert told == ["parameter-added lib.a.run breaks 7 b"]


@pytest.mark.parametrize(
    "call",
    ["threading.Thread(target=run, args=(1,))", "pool.submit(other, 1, b=2)", "register(run, 1, b=2)"],
)
def test_what_is_handed_on_without_the_new_parameter_is_a_risk(call: str) -> None:
    old, new = LATER.format(call), LATER.replace("run(a)", "run(a, b=0)").format(call)
    told = lib(old, new, "import lib.a\n\n\ndef ours(a): ...\n\n\nlib.a.run = ours\n")
    assert told == ["parameter-added lib.a.run at-risk 7 b"]


TABLE = """
class Table:
    def __init__(self, rows): ...
    def add(self, row): ...
class Group:
    def __init__(self):
        self.tables = [Table(1)]
    def fill(self):
        self.tables[0].add(1)
"""
PUT = "from engine import core\nclass Mine{base}:\n    {body}\ncore.Table = Mine\n"
GREW = TABLE.replace("rows)", "rows, size=0)").replace("Table(1)", "Table(1, 2)")
PASSED = TABLE.replace("row)", "row, n=0)").replace("add(1)", "add(1, n=1)")


@pytest.mark.parametrize(
    ("new", "base", "body", "expected"),
    [
        (GREW, "", "def __init__(self, rows): ...", ["parameter-added core.Table.__init__ breaks 4"]),
        (GREW, "", "def __init__(self, rows, size=0): ...", []),
        (GREW, "", "def __init__(self, *args, **more): ...", []),
        (GREW, "", "def other(self): ...", []),
        (PASSED, "", "def add(self, row): ...", ["parameter-added core.Table.add breaks 4"]),
        (PASSED, "", "def add(self, row, **more): ...", []),
        # Of a class that derives from upstream's, the override tells.
        (PASSED, "(core.Table)", "def add(self, row): ...", ["parameter-added core.Table.add breaks 3"]),
    ],
)
def test_a_class_in_the_place_of_upstreams(new: str, base: str, body: str, expected: list[str]) -> None:
    assert told(TABLE, new, PUT.format(base=base, body=body)) == expected


MOVED = "from engine.other import f\ndef go():\n    f(1)\n"


@pytest.mark.parametrize(
    ("home", "more", "verdict"),
    [
        (F, "", "at-risk"),
        (F, "class More(f): ...\n", "at-risk"),
        (F, "def inside():\n    return f(1)\n", "breaks"),
    ],
)
def test_a_patch_of_an_alias_reaches_whoever_reads_that(home: str, more: str, verdict: str) -> None:
    found = compare(engine(F), engine(MOVED, other=home + more), {"plugin/use.py": text(MOD)})
    assert rows(found) == [f"patch-target-moved core.f {verdict} 3"]


@pytest.mark.parametrize(
    ("user", "verdict"),
    [
        ("from engine.other import f\n", "breaks"),
        ("from engine import other\nother.f(1)\n", "breaks"),
        ("import engine.other\nengine.other.f(1)\n", "breaks"),
        ("from .other import f\n", "breaks"),
        ("from engine.core import f\n", "at-risk"),
        ("if TYPE_CHECKING:\n    from engine.other import f\n", "at-risk"),
    ],
)
def test_a_patch_of_an_alias_does_not_reach_who_asks_the_new_home(user: str, verdict: str) -> None:
    new = engine(MOVED, other=F, user=user)
    found = compare(engine(F), new, {"plugin/use.py": text(MOD)})
    assert rows(found) == [f"patch-target-moved core.f {verdict} 3"]


def test_a_patch_of_one_of_two_that_became_one() -> None:
    home = F + "def inside():\n    return f(1)\n"
    found = compare(engine(F, other=home), engine(MOVED, other=home), {"plugin/use.py": text(MOD)})
    assert rows(found) == ["patch-target-moved core.f at-risk 3"]


def test_a_constructor_is_called_whoever_puts_it_there() -> None:
    old = "class Box:\n    def __init__(self):\n        self.size = 1\n"
    new = "from dataclasses import dataclass\n\n\n@dataclass\nclass Box:\n    size: int = 1\n"
    patch = "from engine.core import Box\n\n\ndef mine(self):\n    self.size = 2\n\n\nBox.__init__ = mine\n"
    assert [row for row in told(old, new, patch) if "patch-target" in row] == []
    gone = told(old.replace("__init__", "begin"), new, patch.replace("__init__", "begin"))
    assert [row for row in gone if "patch-target-removed" in row] != []


def test_a_class_that_became_an_object_may_have_what_is_patched() -> None:
    old = "class Registry:\n    @staticmethod\n    def find(name): ...\n"
    new = "class _Registry:\n    def find(self, name): ...\nRegistry = _Registry()\n"
    plugin = "from lib.a import Registry\ndef find(name): ...\nRegistry.find = find\n"
    assert lib(old, new, plugin) == []
    gone = ["patch-target-removed lib.a.Registry.find breaks 3 find"]
    assert lib(old, new.replace("find", "look"), plugin) == gone
    assert lib(old, new.replace("_Registry()", "make()"), plugin) == gone


LAUNCHED = """
import lib.a
def _kernel(x, BLOCK): ...
class Launched:
    def __init__(self, function):
        self.function = function
    def __getitem__(self, grid):
        return self.function
kernel = Launched(_kernel)
lib.a.kernel = kernel
"""


def test_an_object_that_gives_the_function_in_upstreams_place() -> None:
    old = "def kernel(x, BLOCK): ...\ndef run(x):\n    kernel[(1,)](x, BLOCK=2)\n"
    new = old.replace("BLOCK)", "BLOCK, SIZE)").replace("BLOCK=2", "BLOCK=2, SIZE=3")
    assert lib(old, new, LAUNCHED) == ["parameter-required lib.a.kernel breaks 9 SIZE"]
    assert lib(old, new, LAUNCHED.replace("BLOCK)", "BLOCK, SIZE=1)")) == []
    assert lib(old, new, LAUNCHED.replace("__getitem__", "__call__")) == []
    assert lib(old, new, LAUNCHED.replace("return self.function", "return make(grid)")) == []


def test_a_function_inside_another_one_does_something_with_another_order() -> None:
    old = "class Base:\n    def run(self, x, y): ...\n\n\ndef use(base: Base):\n    base.run(1, 2)\n"
    new = old.replace("x, y", "y, x").replace("1, 2", "2, 1")
    plugin = (
        "from lib.a import Base\ndef patch():\n    def run(self, x, y):\n        {}\n    Base.run = run\n"
    )
    found = lib_compare(old, new, plugin.format("print(x)"))
    assert "parameter-reordered lib.a.Base.run breaks 5 x" in found
