"""The rewrites that every property of rewrites is tried on, and the programs: both found in the tests.

A test module of a rewrite has ``EXAMPLES``, rules with arguments, and may have ``PROGRAMS``, texts that they
change and that no shared one stands for.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
from functools import lru_cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from syncbot.patching.registry import Rule
from syncbot.patching.source import Source


def declared(name: str) -> list[Any]:
    """Return the items that the test modules of this folder have under a name."""
    found = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    modules = [importlib.import_module(f"{__package__}.{name}") for name in found if name.startswith("test_")]
    return [each for module in modules for each in getattr(module, name, ())]


UNTOUCHED = [
    "",
    "# a comment",
    "x  =  [1,2 , 3]   # spaced oddly",
    "text = '''\n  from up.mod import Thing\n'''",
    "@decorated\ndef helper( a,b = 2 ) :\n\treturn a",
    "if x: y = 1; z = 2",
    "from up.other import Other as O",
    "from .up.mod import Thing",
    "import sys, os",
    "class Unrelated:\n    def run(self, size): return self.uva",
]
NOISE = st.sampled_from(UNTOUCHED)
NOISE_LINES = {line for block in UNTOUCHED for line in block.splitlines() if line}
USES = st.sampled_from(
    [
        "from up.mod import Thing",
        "from up.mod import (\n    Another,\n    Thing,\n    thing,\n)",
        "from up.mod import Another, Thing",
        "import up.mod.deep",
        "def f():\n    from up.mod import Thing as T\n    return T(size=1)",
        "try:\n    from up.mod import Thing\nexcept ImportError:\n    Thing = None",
    ]
)
WHOLE = """\
import up.m as m
from up.m import Thing, make, mark

PLACE = "up.m.Thing"
m.hook = print


@mark
class Mine(Thing):
    def run(self, n, k, flag=None):
        return self.size, 1


def g(t: Thing, other):
    x = 1
    a, b = make(1)
    make(1, a=2)
    return t.size, other.size, m.Limits.TOP, t.size(), PLACE
"""
_BLOCKS = [
    "class Mine(Thing):\n    def run(self):\n        return super().run()",
    "class Mine(Thing):\n\n    def run(self, size, *, flag=None): # odd\n        return size + self.uva",
    "class Mine(Thing):\n    @staticmethod\n    def run(\n        size: int,\n    ) -> None: ...",
    "class Mine(Thing):\n    def run(self, size,  flag):\n        a , b = Thing(1,size=2)\n        return 1 , 2",
    "def g(t: Thing):\n    x = 1\n\n    return t.uva",
    "@Thing( 1 )  # marked\ndef made(limit = Thing.LIMIT): ...",
    "Thing.hook  =  print\nsetattr(Thing, 'hook', len)",
    "def g(t: Thing):\n    return t.uva, Thing(size=2, **{}), 'up.mod.Thing'",
    WHOLE,
    *declared("PROGRAMS"),
]
_PARTS = st.tuples(st.lists(NOISE, max_size=3), USES, st.lists(NOISE | st.sampled_from(_BLOCKS), max_size=5))


#: The same few texts meet every rule, and rules share one parse as they do in ``apply``.
source = lru_cache(64)(Source)


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


#: Generated programs in which rewrites find something.
PROGRAMS = _PARTS.map(lambda p: "\n".join([*p[0], p[1], *p[2]]) + "\n").filter(parses)
_SHORT = [f"from up.mod import Thing\n{block}\n" for block in _BLOCKS]
#: A few such programs.
TEXTS = ["from up.mod import Thing\n" + "\n".join(_BLOCKS[:-1]) + "\n", *_SHORT]
EXAMPLES: list[Rule] = declared("EXAMPLES")
