"""Objects that are called by no name: only code of the backend may hold them."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Block:
    def forward(self, x, y):
        return x

class Net:
    def __init__(self):
        self.blocks = [Block() for _ in range(2)]

    def forward(self, x):
        for block in self.blocks:
            x = block(x, 1)
        return x
"""
NEW = OLD.replace("x, y", "x").replace("block(x, 1)", "block(x)")
REQUIRED = OLD.replace("x, y", "x, y, z").replace("block(x, 1)", "block(x, 1, 2)")
BLOCK = """
from lib.a import Block, Net

class OwnBlock(Block):
    def forward(self, x, y):
        return y
"""
NET = """
class OwnNet(Net):
    def __init__(self):
        kind = OwnBlock
        self.blocks = [kind()]

    def forward(self, x):
        return self.blocks[0](x, 1)
"""
PATCH = """
import lib.a

def forward(self, x, y):
    return y

def run(self, x):
    return x

lib.a.Block.forward = forward
lib.a.Net.forward = run
"""


def test_the_backends_own_calls_them() -> None:
    assert compare(OLD, NEW, BLOCK + NET) == ["parameter-removed lib.a.Block.forward at-risk 4 y"]
    assert compare(OLD, REQUIRED, BLOCK + NET) == ["parameter-required lib.a.Block.forward at-risk 4 z"]
    assert compare(OLD, NEW, PATCH) == ["parameter-removed lib.a.Block.forward at-risk 9 y"]


@pytest.mark.parametrize(
    "own",
    [
        pytest.param(BLOCK, id="nobody seen makes them"),
        pytest.param(BLOCK + "made = OwnBlock()\n", id="made outside of classes"),
        pytest.param(BLOCK + NET + "table = {'block': OwnBlock}\n", id="handed on as well"),
        pytest.param(BLOCK + NET + "table = {'block': 'plugin:OwnBlock'}\n", id="handed on by a string"),
        pytest.param(BLOCK + NET.replace("(self, x)", "_other(self, x)"), id="kept by what inherits the caller"),
        pytest.param(BLOCK + NET.replace("return self.blocks[0](x, 1)", "return super().forward(x)"),
                     id="upstream's is called"),
        pytest.param(BLOCK + NET.replace("self.blocks = [kind()]", "add(self, kind())"), id="kept elsewhere"),
    ],
)  # fmt: skip
def test_upstream_may_call_them(own: str) -> None:
    assert "parameter-removed lib.a.Block.forward breaks 4 y" in compare(OLD, NEW, own)


RUNNER = """
class Runner:
    def __init__(self):
        self.block = OwnBlock()

    def run(self, x):
        return self.block(x, 1)
"""


@pytest.mark.parametrize(
    ("runner", "verdict"),
    [
        pytest.param(RUNNER, "at-risk", id="called here"),
        pytest.param(RUNNER.replace("(x, 1)", ".forward(x, 1)"), "at-risk", id="asked here"),
        pytest.param(
            RUNNER.replace("return self.block(x, 1)", "return go(self.block)"), "breaks", id="given on"
        ),
        pytest.param(RUNNER.replace("return self.block(x, 1)", "return self.block"), "breaks", id="returned"),
        pytest.param(
            RUNNER.replace("class Runner:", "class Runner(Base):"), "breaks", id="upstream's base reads it"
        ),
        pytest.param(RUNNER.replace("Runner:", "Runner(Net):"), "breaks", id="upstream's base calls it"),
        pytest.param(
            RUNNER.replace("self.block = OwnBlock()", "layer.block = OwnBlock()"),
            "breaks",
            id="another keeps it",
        ),
        pytest.param(
            RUNNER.replace("self.block = OwnBlock()", "self.block = OwnBlock"),
            "breaks",
            id="the class is kept",
        ),
        pytest.param(
            RUNNER.replace("self.block = OwnBlock()", "layer.kind = self.block = OwnBlock"),
            "breaks",
            id="the class is put on another",
        ),
        pytest.param(RUNNER.replace("self.block = OwnBlock()", "keep(OwnBlock())"), "breaks", id="not kept"),
    ],
)
def test_a_class_of_the_backend_that_is_of_no_such_kind_calls_them(runner: str, verdict: str) -> None:
    base = "\nclass Base:\n    def more(self):\n        return self.block(1)\n"
    own = BLOCK.replace("Block, Net", "Base, Block, Net") + runner
    assert compare(OLD + base, NEW + base, own) == [f"parameter-removed lib.a.Block.forward {verdict} 4 y"]


def test_another_method_of_the_holder_calls_them() -> None:
    more = "\n    def warm(self):\n        return self.blocks[0](1, 2)\n"
    own = BLOCK + NET
    assert compare(OLD + more, NEW + more.replace("1, 2", "1"), own) == [
        "parameter-removed lib.a.Block.forward breaks 4 y"
    ]
    only_looks = "\n    def warm(self):\n        return self.blocks.count\n"
    assert compare(OLD + only_looks, NEW + only_looks, own) == [
        "parameter-removed lib.a.Block.forward at-risk 4 y"
    ]
    overridden = own + "\n    def warm(self):\n        return 1\n"
    assert compare(OLD + more, NEW + more.replace("1, 2", "1"), overridden) == [
        "parameter-removed lib.a.Block.forward at-risk 4 y"
    ]


def test_upstream_makes_them_in_another_class_too() -> None:
    more = "\nclass Tower:\n    def __init__(self):\n        self.block = Block()\n"
    assert compare(OLD + more, NEW + more, PATCH) == ["parameter-removed lib.a.Block.forward breaks 9 y"]
    derived = "\nclass Wide(Block):\n    pass\n"
    assert compare(OLD + derived, NEW + derived, PATCH) == [
        "parameter-removed lib.a.Block.forward breaks 9 y"
    ]


MADE = (
    "class Box:\n    def __init__(self, size):\n        self.size = size\n\ndef make():\n    return Box(1)\n"
)
MADE_NEW = MADE.replace("self, size", "self, size, depth=0").replace("Box(1)", "Box(1, depth=2)")
OWN_BOX = (
    "from lib.a import Box\n\nclass OwnBox(Box):\n    def __init__(self, size):\n        self.own = size\n"
)
MAKER = "\ndef make():\n    return OwnBox(1)\n"


def test_the_backend_makes_its_objects_itself() -> None:
    assert compare(MADE, MADE_NEW, OWN_BOX + MAKER) == ["parameter-added lib.a.Box.__init__ at-risk 4 depth"]


def test_another_class_is_registered_under_the_name_of_its_base() -> None:
    other, own = "\nclass Other(Box): ...\n", OWN_BOX + MAKER
    told = ["parameter-added lib.a.Box.__init__ at-risk 4 depth"]
    assert compare(MADE, MADE_NEW, own + other + "\nregistered = {'Box': Other}\n") == told
    inside = "\ndef register():\n    from plugin.b import Other\n    table.update({'Box': Other})\n"
    files = {"plugin/__init__.py": own + inside, "plugin/b.py": "from lib.a import Box\n" + other}
    assert compare(MADE, MADE_NEW, files) == told


@pytest.mark.parametrize(
    "own",
    [
        pytest.param(OWN_BOX, id="nobody seen makes them"),
        pytest.param(OWN_BOX + MAKER + "\nregister(OwnBox)\n", id="handed on"),
        pytest.param(OWN_BOX + MAKER + "\nregister('Box', 'plugin', 'OwnBox')\n", id="handed on by its name"),
        pytest.param(
            OWN_BOX + MAKER + "\nregistered = {'Box': OwnBox}\n", id="registered under its base's name"
        ),
        pytest.param(
            OWN_BOX + MAKER + "\nclass More(OwnBox): ...\n\nregistered = {'Box': More}\n",
            id="what derives from it registered",
        ),
        pytest.param(
            OWN_BOX + MAKER + "\nregistered = {'Box': find_class()}\n", id="nobody knows what registered"
        ),
        pytest.param(OWN_BOX + MAKER + "\nimport lib.a\nlib.a.Box = OwnBox\n", id="put in its base's place"),
        pytest.param(OWN_BOX.replace("class", "@register\nclass") + MAKER, id="registered by a decorator"),
        pytest.param(OWN_BOX + MAKER + "\nclass More(OwnBox): ...\n", id="derived from"),
        pytest.param(OWN_BOX + MAKER + "\nimport lib.a\nlib.a.Box = make\n", id="its maker put there"),
        pytest.param(OWN_BOX + MAKER + "\nsetattr(lib, 'Box', make)\n", id="its maker put there by name"),
    ],
)
def test_upstream_may_make_its_objects(own: str) -> None:
    rows = compare(MADE, MADE_NEW, own)
    assert any(row.startswith("parameter-added lib.a.Box.__init__ breaks") for row in rows)


PART = "class Part:\n    def __init__(self, a): ...\n    @classmethod\n    def names(cls): ...\n\n\n"
MAKES = "def make():\n    return Part(a=1{more})\n"
OWN_PART = """
from lib.a import Part


class OwnPart(Part):
    def __init__(self, a):
        self.a = a


def build():
    OwnPart.names()
    return OwnPart(1)
"""


@pytest.mark.parametrize(
    ("own", "verdict"),
    [
        pytest.param(OWN_PART, "at-risk", id="made and asked here"),
        pytest.param(OWN_PART.replace("OwnPart.names()", "keep(OwnPart)"), "breaks", id="handed on"),
        pytest.param(
            OWN_PART.replace("OwnPart.names()", "kind = OwnPart\n    kind(1)"), "at-risk", id="made by a name"
        ),
        pytest.param(
            OWN_PART.replace("OwnPart.names()", "kind = OwnPart\n    keep(kind)"),
            "breaks",
            id="named, handed on",
        ),
        pytest.param(
            OWN_PART.replace("OwnPart.names()", "global kind\n    kind = OwnPart\n    kind(1)"),
            "breaks",
            id="named for others",
        ),
        pytest.param(OWN_PART.replace("OwnPart.names()", "kinds = [OwnPart]"), "breaks", id="kept"),
        pytest.param(OWN_PART.replace("OwnPart", "Part"), "at-risk", id="under its base's own name"),
        pytest.param(
            OWN_PART.replace("OwnPart", "Part").replace("Part.names()", "keep(Part)"),
            "breaks",
            id="handed on under that name",
        ),
    ],
)
def test_whose_constructor_only_the_backend_calls(own: str, verdict: str) -> None:
    new = PART.replace("a)", "a, b=0)") + MAKES.format(more=", b=2")
    found = compare(PART + MAKES.format(more=""), new, own)
    assert found == [f"parameter-added lib.a.Part.__init__ {verdict} 5 b"]


def test_another_class_of_that_name_is_handed_on() -> None:
    other = "from lib.a import Other\n\nclass OwnPart(Other): ...\n"
    table = "def register():\n    from plugin.other import OwnPart\n    keep(OwnPart)\n"
    more = "\nclass Other: ...\n"
    files = {"plugin/__init__.py": OWN_PART, "plugin/other.py": other, "plugin/table.py": table}
    new = PART.replace("a)", "a, b=0)") + MAKES.format(more=", b=2")
    old = PART + MAKES.format(more="")
    assert compare(old + more, new + more, files) == ["parameter-added lib.a.Part.__init__ at-risk 5 b"]
    same = {**files, "plugin/table.py": table.replace("plugin.other", "plugin")}
    assert compare(old + more, new + more, same) == ["parameter-added lib.a.Part.__init__ breaks 5 b"]


def test_a_class_that_is_made_by_what_it_is_imported_as() -> None:
    parts = OWN_PART.partition("\n\ndef build")[0]
    maker = "from plugin.parts import OwnPart as Kind\n\ndef build():\n    return {}\n"
    new = PART.replace("a)", "a, b=0)") + MAKES.format(more=", b=2")
    old = PART + MAKES.format(more="")
    for made, verdict in (("Kind(1)", "at-risk"), ("keep(Kind)", "breaks"), ("1", "breaks")):
        files = {"plugin/__init__.py": "", "plugin/parts.py": parts, "plugin/build.py": maker.format(made)}
        assert compare(old, new, files) == [f"parameter-added lib.a.Part.__init__ {verdict} 5 b"]
