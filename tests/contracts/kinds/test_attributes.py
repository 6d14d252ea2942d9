"""Attributes: what the backend reads, writes and calls on modules, classes and objects of known class."""

from __future__ import annotations

import pytest

from tests.contracts.compare import compare, engine, rows, told
from tests.contracts.world import compare as lib

SET = "class Box:\n    def __init__(self, wide):\n        self.size = 1\n"
BARE = "class Box:\n    def __init__(self, wide):\n        self.other = 1\n"
CALLED = "class Box:\n    def size(self):\n        a = 1\n        b = 2\n        return a + b\n"
PROPERTY = "class Box:\n    @property\n    def size(self) -> int:\n        return 1\n"
SETTER = PROPERTY + "    @size.setter\n    def size(self, value): ...\n"
READ = "from engine.core import Box\ndef read(box: Box):\n    return box.size\n"
RUN = "from engine.core import Box\ndef run(box: Box):\n    return box.size()\n"
KIND = "from enum import Enum\nclass Kind(Enum):\n    ONE = 1\n    TWO = 2\n"
HOLDER = (
    "class Holder:\n    def __init__(self, box: Box):\n        self.box = box\n        self.own = Box(True)\n"
)


@pytest.mark.parametrize(
    ("old", "new", "plugin", "expected"),
    [
        pytest.param(SET, BARE, READ, ["attribute-removed core.Box.size breaks 3"], id="removed"),
        pytest.param(CALLED, "class Box: ...\n", RUN, ["attribute-removed core.Box.size breaks 3"],
                     id="method removed"),
        pytest.param(CALLED, CALLED.replace("size", "length"), RUN,
                     ["attribute-renamed core.Box.size breaks 3"], id="method renamed"),
        pytest.param(SET, SET.replace("        self.size", "        if wide:\n            self.size"), READ,
                     ["attribute-conditional core.Box.size at-risk 3"], id="on a branch"),
        pytest.param(PROPERTY, CALLED, READ, ["attribute-became-method core.Box.size breaks 3"],
                     id="property became a method"),
        pytest.param(SET.replace("1", "view(wide)"), CALLED, READ,
                     ["attribute-became-method core.Box.size at-risk 3"], id="what a call gives became one"),
        pytest.param(CALLED, PROPERTY, RUN, ["method-became-attribute core.Box.size breaks 3"],
                     id="method became a property"),
        pytest.param(CALLED, SETTER, RUN, ["method-became-attribute core.Box.size breaks 3"],
                     id="method became a property with a setter"),
        pytest.param(SET, PROPERTY, READ.replace("return box.size", "box.size = 2"),
                     ["attribute-read-only core.Box.size breaks 3"], id="can no longer be set"),
        pytest.param(SETTER, PROPERTY, READ.replace("return box.size", "box.size = 2"),
                     ["attribute-read-only core.Box.size breaks 3"], id="setter removed"),
        pytest.param(KIND, KIND.replace("    TWO = 2\n", ""), "from engine.core import Kind\nk = Kind.TWO\n",
                     ["attribute-removed core.Kind.TWO breaks 2"], id="enum member"),
        pytest.param("def f(): ...\n", "def g(): ...\n", "from engine import core\nx = core.f\n",
                     ["attribute-removed core.f breaks 2"], id="of a module"),
        pytest.param(SET, BARE, READ.replace("box.size", "getattr(box, 'size', 0)"),
                     ["attribute-removed core.Box.size at-risk 3"], id="getattr with a default"),
        pytest.param(SET, BARE, READ.replace("box.size", "getattr(box, 'size')"),
                     ["attribute-removed core.Box.size breaks 3"], id="getattr without a default"),
        pytest.param(SET, BARE, "from engine.core import Box\ndef read(box: Box):\n"
                     "    if hasattr(box, 'size'):\n        return box.size\n",
                     ["attribute-removed core.Box.size at-risk 3",
                      "attribute-removed core.Box.size at-risk 4"], id="hasattr"),
        pytest.param(SET, BARE, READ.replace("return box.size", "box.size = 2"),
                     ["attribute-removed core.Box.size at-risk 3"], id="written"),
        pytest.param(SET, BARE, READ.replace("return box.size", "box.size += 2"),
                     ["attribute-removed core.Box.size breaks 3"], id="added to"),
        pytest.param(SET, BARE, READ.replace("return box.size", "del box.size"),
                     ["attribute-removed core.Box.size breaks 3"], id="deleted"),
        pytest.param("class Root:\n    size = 1\nclass Box(Root): ...\n",
                     "class Root:\n    size = 1\nclass Box: ...\n", READ,
                     ["attribute-removed core.Root.size breaks 3"], id="base dropped"),
    ],
)  # fmt: skip
def test_attributes_that_are_gone_or_mean_something_else(
    old: str, new: str, plugin: str, expected: list[str]
) -> None:
    assert told(old, new, plugin) == expected


def test_a_module_is_put_among_the_modules_of_another_one_whatever_its_class_has() -> None:
    top = "import torch\n"
    old, new = (top + text.replace("Box:", "Box(torch.nn.Module):") for text in (SET, PROPERTY))
    sets = READ.replace("return box.size", "box.size = 2")
    assert told(old, new, sets) == ["attribute-read-only core.Box.size at-risk 3"]


@pytest.mark.parametrize(
    ("old", "new", "plugin"),
    [
        pytest.param(SET, BARE.replace("other", "size"), READ, id="same"),
        pytest.param(SET, "class Root:\n    def __init__(self, wide):\n        self.size = 1\n"
                     "class Box(Root): ...\n", READ, id="moved to a base"),
        pytest.param(SET, PROPERTY, READ, id="became a property"),
        pytest.param(SET.replace("1", "make_function(wide)"), CALLED, READ, id="a function became a method"),
        pytest.param(SET.replace("1", "view(wide)"), CALLED, RUN, id="is called"),
        pytest.param(SET.replace("1", "wide"), CALLED, READ, id="nobody knows what became a method"),
        pytest.param(SET, SETTER, READ.replace("return box.size", "box.size = 2"), id="has a setter"),
        pytest.param(SET, PROPERTY.replace("property", "cached_property"),
                     READ.replace("return box.size", "box.size = 2"), id="cached properties can be set"),
        pytest.param(SET.replace("size = 1", "size: int = 1"), SETTER, READ, id="property with a setter"),
        pytest.param(PROPERTY, SETTER, READ, id="property gained a setter"),
        pytest.param(SETTER, PROPERTY, READ, id="property lost its setter"),
        pytest.param(SET, "class Box:\n    size: int\n", READ, id="only declared"),
        pytest.param(SET, "class Box:\n    def __init__(self, wide):\n"
                     "        if wide:\n            self.size = 1\n        else:\n            self.size = 2\n"
                     "    size = 0\n", READ, id="default in the class"),
        pytest.param(SET, BARE, "from engine.core import Box\nclass Mine(Box):\n    size = 2\n"
                     "    def read(self):\n        return self.size\n", id="defined here"),
        pytest.param(SET, BARE, "from engine.core import Box\nclass Mine(Box):\n    def __init__(self):\n"
                     "        super().__init__(True)\n        self.size = 2\n"
                     "    def read(self):\n        return self.size\n", id="set here"),
        pytest.param(SET, BARE, "from engine.core import Box\ndef read(box):\n    return box.size\n",
                     id="receiver unknown"),
        pytest.param(SET, BARE, "class Box:\n    size = 1\ndef read(box: Box):\n    return box.size\n",
                     id="another class of that name"),
        pytest.param(KIND, KIND + "    THREE = 3\n", "from engine.core import Kind\nk = Kind.TWO\n",
                     id="enum grew"),
        pytest.param("def f(): ...\n", "def __getattr__(name):\n    return {'f': 1}[name]\n",
                     "from engine import core\nx = core.f\n", id="module serves it"),
        pytest.param("def f(): ...\n", "from engine.other import f\n",
                     "from engine import core\nx = core.f\n", id="re-exported from a foreign module"),
    ],
)  # fmt: skip
def test_attributes_that_are_still_there(old: str, new: str, plugin: str) -> None:
    before, after = engine(old, other="def f(): ...\n"), engine(new, other="def f(): ...\n")
    assert rows(compare(before, after, {"plugin/use.py": plugin})) == []


@pytest.mark.parametrize(
    "plugin",
    [
        pytest.param("def read(box: Box):\n    return box.size\n", id="annotated parameter"),
        pytest.param("def read(box: 'Box'):\n    return box.size\n", id="quoted annotation"),
        pytest.param("def read(box: Box | None):\n    return box.size\n", id="or None"),
        pytest.param("from typing import Optional\ndef read(box: Optional[Box]):\n    return box.size\n",
                     id="Optional"),
        pytest.param("def read():\n    box = Box(True)\n    return box.size\n", id="assigned"),
        pytest.param("def read(x):\n    box: Box = x\n    return box.size\n", id="annotated name"),
        pytest.param("def read(x):\n    assert isinstance(x, Box)\n    return x.size\n", id="asserted"),
        pytest.param("from typing import cast\ndef read(x):\n    return cast(Box, x).size\n", id="cast"),
        pytest.param("def read():\n    if (box := Box(True)):\n        return box.size\n", id="walrus"),
        pytest.param("def read():\n    return Box(True).size\n", id="chained"),
        pytest.param("def make() -> Box: ...\ndef read():\n    return make().size\n", id="returned"),
        pytest.param("class Mine:\n    def __init__(self, box: Box):\n        self.box = box\n"
                     "    def read(self):\n        return self.box.size\n", id="self.x = parameter"),
        pytest.param("class Mine:\n    def __init__(self):\n        self.box = Box(True)\n"
                     "    def read(self):\n        return self.box.size\n", id="self.x = call"),
        pytest.param("class Mine:\n    box: Box | None = None\n    def read(self):\n"
                     "        return self.box.size\n", id="class annotation"),
        pytest.param("class Mine(Holder):\n    def read(self):\n        return self.box.size\n",
                     id="upstream's self.x = parameter"),
        pytest.param("class Mine(Holder):\n    def read(self):\n        return self.own.size\n",
                     id="upstream's self.x = call"),
        pytest.param("class Mine(Box):\n    def read(self):\n        return super().size\n", id="super"),
        pytest.param("class Mine(Box):\n    def read(self):\n        def inner():\n"
                     "            return self.size\n        return inner\n", id="closure"),
        pytest.param("class Mine(Box):\n    def read(self):\n        return [self.size for _ in ()]\n",
                     id="comprehension"),
        pytest.param("BOX = Box(True)\ndef read():\n    return BOX.size\n", id="module variable"),
        pytest.param("async def make() -> Box: ...\nasync def read():\n    return (await make()).size\n",
                     id="awaited"),
        pytest.param("class Mine:\n    @property\n    def box(self) -> Box: ...\n    @box.setter\n"
                     "    def box(self, value): ...\n    def read(self):\n"
                     "        return self.box.size\n", id="property with a setter"),
        pytest.param("class Mine:\n    @property\n    def box(self) -> Box: ...\n    def read(self):\n"
                     "        return self.box.size\n", id="property"),
    ],
)  # fmt: skip
def test_receivers_whose_class_is_seen(plugin: str) -> None:
    found = told(SET + HOLDER, BARE + HOLDER, f"from engine.core import Box, Holder\n{plugin}")
    assert [line.rpartition(" ")[0] for line in found] == ["attribute-removed core.Box.size breaks"]


BRANCHES = """
def read(x, which):
    if which:
        assert isinstance(x{field}, {first})
        x{field}.{one}
    else:
        assert isinstance(x{field}, {second})
        x{field}.{other}
    {after}
"""


@pytest.mark.parametrize("field", ["", ".box"])
@pytest.mark.parametrize(
    ("first", "second", "one", "other", "after", "lines"),
    [
        ("Holder", "Box", "own", "size", "return x", [8]),
        ("Box", "Holder", "size", "own", "return x", [5]),
        ("Box", "Holder", "size", "size", "return x", [5]),
        ("Holder", "Box", "own", "own", "return x{field}.size", []),
        ("Box", "Box", "size", "size", "return x", [5, 8]),
    ],
)
def test_a_class_that_one_branch_asserts_is_that_there_alone(
    field: str, first: str, second: str, one: str, other: str, after: str, lines: list[int]
) -> None:
    body = BRANCHES.format(
        field=field, first=first, second=second, one=one, other=other, after=after.format(field=field)
    )
    found = told(SET + HOLDER, BARE + HOLDER, f"from engine.core import Box, Holder{body}")
    assert [line for line in found if ".size breaks" in line] == [
        f"attribute-removed core.Box.size breaks {line}" for line in lines
    ]


@pytest.mark.parametrize(
    "plugin",
    [
        pytest.param("def read(x):\n    box = Box(True) if x else x\n    box = Holder(x)\n"
                     "    return box.size\n", id="two classes"),
        pytest.param("def read(boxes):\n    for box in boxes:\n        box.size\n", id="loop"),
        pytest.param("def read(box: Box):\n    return lambda box: box.size\n", id="hidden by a lambda"),
        pytest.param("def read(box: Box):\n    def inner(box):\n        return box.size\n    return inner\n",
                     id="hidden by a parameter"),
        pytest.param("def read(boxes: list[Box]):\n    return boxes.size\n", id="list of them"),
    ],
)  # fmt: skip
def test_receivers_whose_class_is_not_seen(plugin: str) -> None:
    assert told(SET + HOLDER, BARE + HOLDER, f"from engine.core import Box, Holder\n{plugin}") == []


@pytest.mark.parametrize(
    ("derived", "verdict"),
    [
        ("class A(Tool):\n    def go(self): ...\nclass B(Tool):\n    def go(self): ...\n", "at-risk"),
        ("class A(Tool):\n    def go(self): ...\nclass B(A): ...\nclass C(Tool):\n    go = 1\n", "at-risk"),
        ("class A(Tool):\n    def go(self): ...\n", "breaks"),
        ("class A(Tool):\n    def go(self): ...\nclass B(Tool): ...\n", "breaks"),
        ("class A:\n    def go(self): ...\nclass B:\n    def go(self): ...\n", "breaks"),
    ],
)
def test_each_subclass_has_what_its_base_lost(derived: str, verdict: str) -> None:
    new = "class Tool:\n    size = 1\n" + derived
    old = new.replace("size = 1", "size = 1\n    def go(self): ...")
    own = "from lib.a import Tool\n\ndef use(tool: Tool):\n    tool.go()\n"
    (row,) = lib(old, new, own)
    assert row == f"attribute-removed lib.a.Tool.go {verdict} 4 go"


def test_an_object_of_the_backends_own_subclass_lacks_what_the_base_lost() -> None:
    new = "class Tool: ...\nclass A(Tool):\n    def go(self): ...\nclass B(Tool):\n    def go(self): ...\n"
    old = new.replace("Tool: ...", "Tool:\n    def go(self): ...")
    own = "from lib.a import Tool\n\nclass Own(Tool):\n    def use(self):\n        self.go()\n"
    assert lib(old, new, own) == ["attribute-removed lib.a.Tool.go breaks 5 go"]


HAS_GO = "class Tool:\n    size = 1\n    def go(self): ...\n"
LACKS_GO = "class Tool:\n    size = 1\n"
PUT = "from lib.a import Tool\n\ndef go(self): ...\n\ndef use(tool: Tool):\n    tool.go()\n\n{}.go = go\n"


def test_the_backend_puts_the_member_there_itself() -> None:
    rows = lib(HAS_GO, LACKS_GO, PUT.format("Tool"))
    assert [row for row in rows if row.startswith("attribute")] == []
    elsewhere = lib(HAS_GO, LACKS_GO, PUT.format("Other"))
    assert elsewhere == ["attribute-removed lib.a.Tool.go breaks 6 go"]


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("self.seen = []\n        return self.seen", "at-risk"),
        ("self.seen: list = []\n        return self.seen", "at-risk"),
        ("return self.seen", "breaks"),
        ("return self.seen == []", "breaks"),
        ("other.seen = []\n        return self.seen", "breaks"),
    ],
)
def test_the_backend_sets_the_attribute_itself(body: str, verdict: str) -> None:
    old = "class Tool:\n    def __init__(self):\n        self.seen = []\n        self.x = 1\n"
    own = f"from lib.a import Tool\n\nif True:\n    def use(self: Tool, other):\n        {body}\n"
    rows = lib(old, old.replace("self.seen = []", "pass"), own)
    assert [row.split()[2] for row in rows if "Tool.seen" in row and row.split()[3] in ("5", "6")][-1:] == [
        verdict
    ]


def test_another_class_of_the_backend_sets_an_attribute_of_that_name() -> None:
    old = "class Tool:\n    def __init__(self):\n        self.seen = []\n"
    new = old.replace("self.seen = []", "self.x = 1")
    reads = "from lib.a import Tool\n\nclass Own(Tool):\n    def use(self):\n        return self.seen\n"
    other = "\nclass Other:\n    def __init__(self):\n        self.seen = []\n"
    assert lib(old, new, reads + other) == ["attribute-removed lib.a.Tool.seen breaks 5 seen"]


@pytest.mark.parametrize(
    ("imported", "verdict"),
    [
        ("from other.client import Client", "at-risk"),
        ("from collections import UserDict as Client", "breaks"),
    ],
)
def test_a_new_base_of_another_package_may_have_what_is_gone(imported: str, verdict: str) -> None:
    """Nobody can see what a package has that is not read; Python's own can be asked."""
    old = "class Runner:\n    def wait(self): ...\n    def start(self): ...\n"
    new = f"{imported}\nclass Runner(Client):\n    def start(self): ...\n"
    plugin = "from engine.core import Runner\nclass Mine(Runner):\n    def go(self):\n        self.wait()\n"
    assert told(old, new, plugin) == [f"attribute-removed core.Runner.wait {verdict} 4"]
    override = "from engine.core import Runner\nclass Mine(Runner):\n    def wait(self):\n        print(1)\n"
    called = "def drive(runner):\n    runner.wait()\n"
    assert told(old + called, new, override) == [f"method-removed core.Runner.wait {verdict} 3"]


@pytest.mark.parametrize(
    "tested",
    [
        pytest.param("x.size if isinstance(x, Box) else 0", id="conditional expression"),
        pytest.param("0 if not isinstance(x, Box) else x.size", id="negated"),
        pytest.param("isinstance(x, Box) and x.size", id="and"),
        pytest.param("y and isinstance(x, Box) and x.size", id="longer and"),
        pytest.param("not isinstance(x, Box) or x.size", id="or after a negation"),
        pytest.param("[x.size for x in y if isinstance(x, Box)]", id="condition of a comprehension"),
    ],
)
def test_a_condition_in_an_expression_tells_the_class_also_of_a_name_with_several_values(tested: str) -> None:
    plugin = (
        f"from engine.core import Box\ndef read(x, y):\n    x = y[0]\n    x = y[1]\n    return {tested}\n"
    )
    assert told(SET, BARE, plugin) == ["attribute-removed core.Box.size breaks 5"]


@pytest.mark.parametrize(
    "tested",
    [
        pytest.param("return 0 if isinstance(x, Box) else x.size", id="the other branch"),
        pytest.param("return x.size if y or isinstance(x, Box) else 0", id="one of two conditions"),
        pytest.param("return isinstance(x, Box) or x.size", id="or"),
        pytest.param("return (isinstance(x, Box) and y) or x.size", id="behind the condition"),
        pytest.param("return [x.size for x in y if not isinstance(x, Box)]", id="other things"),
        pytest.param(
            "if isinstance(x, Box):\n        x = y[2]\n        x.size", id="given another value since"
        ),
    ],
)
def test_a_condition_that_tells_no_class(tested: str) -> None:
    plugin = f"from engine.core import Box\ndef read(x, y):\n    x = y[0]\n    {tested}\n"
    assert told(SET, BARE, plugin) == []


@pytest.mark.parametrize(
    ("derived", "verdict"),
    [
        ("class Mine(Step):\n    def fits(self): ...\n", "at-risk"),
        ("class Mine(Step):\n    def fits(self): ...\nclass Other(Step):\n    pass\n", "breaks"),
        ("class Mine:\n    def fits(self): ...\n", "breaks"),
    ],
)
def test_objects_may_be_of_the_backends_own_classes_which_have_it(derived: str, verdict: str) -> None:
    """A list of upstream's class that only holds what the backend derives from it."""
    old = "class Step:\n    def fits(self): ...\n"
    plugin = f"from engine.core import Step\ndef run(steps: list[Step]):\n    steps[0].fits()\n{derived}"
    assert (
        told(old, old.replace("fits", "suits"), plugin)[0] == f"attribute-removed core.Step.fits {verdict} 3"
    )


@pytest.mark.parametrize("read", ["core.__commit__", "engine.core.__commit__", "core.__dict__['__commit__']"])
def test_a_special_name_that_a_module_defines_is_read_as_any_other(read: str) -> None:
    plugin = f"import engine.core\nfrom engine import core\nprint({read})\n"
    assert told("__commit__ = 'a'\n__version__ = '1'\n", "__version__ = '1'\n", plugin) == [
        "attribute-removed core.__commit__ breaks 3"
    ]


@pytest.mark.parametrize("name", ["__name__", "__doc__", "__file__", "__dict__"])
def test_what_every_module_has_is_never_gone(name: str) -> None:
    assert told(f"{name} = 'a'\n", "", f"from engine import core\nprint(core.{name})\n") == []


@pytest.mark.parametrize("read", ["Box.__dict__['size']", "vars(Box)['size']"])
def test_a_member_that_is_taken_from_the_dictionary_of_its_class(read: str) -> None:
    assert told(CALLED, "class Box: ...\n", f"from engine.core import Box\nprint({read})\n") == [
        "attribute-removed core.Box.size breaks 2"
    ]


@pytest.mark.parametrize(
    "read", ["Box.__dict__.get('size')", "vars(Box, 1)['size']", "Box.other['size']", "vars()['size']"]
)
def test_another_dictionary_tells_nothing_of_the_class(read: str) -> None:
    assert told(CALLED, "class Box: ...\n", f"from engine.core import Box\nprint({read})\n") == []


GROUP = (
    "class Group:\n    def lora(self): ...\n"
    "class Engine:\n    def __init__(self):\n        self.group = Group()\n{}"
)
LORA = "from engine.core import Engine\ndef read(engine: Engine):\n    return engine.group.lora()\n"


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", ["name-vanished core.Group.lora breaks 3"]),
        ("def ask(other): return other.lora()\n", ["name-vanished core.Group.lora at-risk 3"]),
        ("class Other:\n    def lora(self): ...\n", []),
    ],
)
def test_an_object_whose_class_is_gone(more: str, expected: list[str]) -> None:
    new = (
        "from outside import made\nclass Engine:\n    def __init__(self):\n        self.group = made()\n"
        + more
    )
    assert [row for row in told(GROUP.format(""), new, LORA) if "lora" in row] == expected


@pytest.mark.parametrize(
    ("around", "verdict"),
    [
        ("try:\n    from engine.core import Group\nexcept ImportError:\n    Group = None", "at-risk"),
        ("try:\n    from engine.core import Group\nexcept ValueError:\n    Group = None", "breaks"),
    ],
)
def test_an_object_of_a_class_whose_import_may_fail(around: str, verdict: str) -> None:
    plugin = f"{around}\ndef read(group: Group):\n    return group.lora()\n"
    rows = told(GROUP.format(""), "class Engine: ...\n", plugin)
    assert [row for row in rows if "lora" in row] == [f"name-vanished core.Group.lora {verdict} 6"]


@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        ("if hasattr(self, 'part')", "at-risk"),
        ("if not hasattr(self, 'part')", "breaks"),
        ("if part", "breaks"),
    ],
)
def test_what_a_class_only_sets_where_its_objects_have_it(test: str, verdict: str) -> None:
    """As ``set_decoder`` of a base does for the models below that have a decoder."""
    old = f"class Box:\n    def fill(self, part):\n        {test}:\n            self.part = part\n"
    plugin = "from engine.core import Box\ndef read(box: Box):\n    return box.part\n"
    rows = told(old, "class Box:\n    def fill(self, part): ...\n", plugin)
    assert [row for row in rows if row.startswith("attribute-removed")] == [
        f"attribute-removed core.Box.part {verdict} 3"
    ]


@pytest.mark.parametrize(
    ("plugin", "verdict"),
    [
        ("def f(x: a.A): ...\n", "breaks"),
        ("def f() -> a.A: ...\n", "breaks"),
        ("class K:\n    x: a.A\n", "breaks"),
        ("x: a.A = 1\n", "breaks"),
        ("def f():\n    self.x: a.A = 1\n", "breaks"),
        ("def f():\n    x: a.A = 1\n", "at-risk"),
        ("def f():\n    if f:\n        x: int | a.A\n", "at-risk"),
        ("def f():\n    x: int = a.A\n", "breaks"),
    ],
)
def test_an_annotation_that_python_does_not_evaluate_is_a_risk(plugin: str, verdict: str) -> None:
    told = lib("class A: ...\n", "", f"from lib import a\n{plugin}")
    assert [row.split()[:3] for row in told] == [["attribute-removed", "lib.a.A", verdict]]
    postponed = f"from __future__ import annotations\nfrom lib import a\n{plugin}"
    (row,) = lib("class A: ...\n", "", postponed)
    assert row.split()[2] == ("breaks" if "= a.A" in plugin else "at-risk")


@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        ("assert hasattr(box, 'size')", "breaks"),
        ("assert hasattr(box, 'size') or box", "at-risk"),
        ("print(hasattr(box, 'size'))", "at-risk"),
    ],
)
def test_an_assertion_that_an_attribute_is_there_fails_without_it(test: str, verdict: str) -> None:
    plugin = f"from engine.core import Box\ndef f(box: Box):\n    {test}\n"
    assert told(SET, BARE, plugin) == [f"attribute-removed core.Box.size {verdict} 3"]


CLASS = "class Made: ...\nclass F:\n    def __init__(self, n): ...\n    def old(self): ...\n    @classmethod\n    def make(cls): ...\n"
ASKS = "from lib.a import F\n\ndef f():\n    F.make()\n    F(3).old()\n"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("def F(n) -> Made: ...\n", ["removed lib.a.F.make breaks 4", "removed lib.a.F.old breaks 5"]),
        ("def F(n):\n    return Made()\n", ["removed lib.a.F.make breaks 4", "removed lib.a.F.old breaks 5"]),
        ("def F(n):\n    return n.x\n", ["removed lib.a.F.make breaks 4", "vanished lib.a.F.old at-risk 5"]),
        ("def F(n):\n    return n.x\ndef old(): ...\n", ["removed lib.a.F.make breaks 4"]),
        ("def F(n) -> Made: ...\nF.make = Made\n", ["removed lib.a.F.old breaks 5"]),
        ("@wrapped\ndef F(n) -> Made: ...\n", []),
    ],
)
def test_what_is_asked_of_a_class_that_became_a_function(function: str, expected: list[str]) -> None:
    told = lib(CLASS, f"class Made: ...\n{function}", ASKS)
    assert "class-became-function lib.a.F at-risk 1" in (row.rstrip() for row in told)
    rest = [row.partition("-")[2].rpartition(" ")[0] for row in told if "became" not in row]
    assert rest == expected


def test_what_the_made_object_has_is_there() -> None:
    made = "class Made:\n    def old(self): ...\n"
    told = lib(CLASS, f"{made}def F(n) -> Made: ...\n", "from lib.a import F\nF(3).old()\n")
    assert told == ["class-became-function lib.a.F at-risk 1"]


BOTH = "class A:\n    x = 1\nclass B:\n    x = 1\nclass C: ...\ndef made() -> A | B: ...\n"


@pytest.mark.parametrize("annotation", ["A | B", "'A | B | None'", "Union[A, B]", "Optional[Union[A, B]]"])
def test_an_object_that_may_be_of_several_classes(annotation: str) -> None:
    plugin = (
        f"from lib.a import A, B, C\nfrom typing import Optional, Union\ndef f(v: {annotation}):\n    v.x\n"
    )
    one, none = BOTH.replace("class B:\n    x = 1", "class B: ..."), BOTH.replace("    x = 1", "    y = 1")
    assert lib(BOTH, one, plugin) == ["attribute-removed lib.a.B.x at-risk 4 x"]
    told = lib(BOTH, none, plugin)
    assert told == ["attribute-removed lib.a.A.x breaks 4 x", "attribute-removed lib.a.B.x breaks 4 x"]


@pytest.mark.parametrize(
    "code",
    [
        "def f(v: A | B):\n    if isinstance(v, A):\n        v.x\n",
        "def f(v: A | C | other.D):\n    v.x\n",
        "def f(v: A | C):\n    v.x\n",
        "def f(v: A | B):\n    getattr(v, 'x', None)\n",
    ],
)
def test_a_class_of_a_union_that_is_not_what_is_read(code: str) -> None:
    new = BOTH.replace("class B:\n    x = 1", "class B: ...")
    assert lib(BOTH, new, f"from lib.a import A, B, C\n{code}") == []


def test_what_a_function_returns_may_be_of_several_classes() -> None:
    new = BOTH.replace("    x = 1", "    y = 1")
    told = lib(BOTH, new, "from lib.a import made\nmade().x\n")
    assert told == ["attribute-removed lib.a.A.x breaks 2 x", "attribute-removed lib.a.B.x breaks 2 x"]


STATE = """
    class State:
        rows: int
        {}
    class Runner:
        def __init__(self):
            self.state: State | None = None
    """


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("self.state = None", ["attribute-removed core.State.steps breaks 4"]),
        ("self.state = mine()", []),
        ("self.state = None\n        self.state = mine()", []),
    ],
)
def test_what_a_class_only_takes_away_holds_what_its_base_puts_there(own: str, expected: list[str]) -> None:
    plugin = f"""
        from engine.core import Runner
        class Mine(Runner):
            def run(self):
                return self.state.steps
            def end(self):
                {own}
        """
    if "\n" in own:
        plugin = plugin.replace("\n        self.state = mine()", "\n                self.state = mine()")
    rows = told(STATE.format("steps: int"), STATE.format("..."), plugin)
    assert [row for row in rows if "steps" in row and " breaks " in row] == expected
