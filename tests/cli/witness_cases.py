"""Cases of witnesses: upstream before and after, the plugin's code, and the outcome."""

from __future__ import annotations

# A class that is a module of torch, of which no more is needed than its name.
MODULE = """import sys
import types

for name in ("torch", "torch.nn"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["torch.nn"].Module = object
from torch.nn import Module


class Tool(Module):"""
# A class whose decorator puts another constructor in front of its own.
WRAPPED = """def widened(kind):
    first = kind.__init__

    def made(self, *args, **keywords):
        first(self, *args, **keywords)

    kind.__init__ = made
    return kind


@widened
class Tool:
    def __init__({}): ..."""
# Each case: what upstream has before and after, what the plugin does, and what becomes of the witness.
CASES: dict[str, tuple[str, str, str, str, str]] = {
    "imported": (
        "def made(): ...",
        "def other(): ...",
        "from engine.imported import made",
        "witnessed",
        "ImportError: cannot import name 'made' from 'engine.imported'",
    ),
    "starred": (
        "__all__ = ['made']\ndef made(): ...",
        "__all__ = []\ndef made(): ...",
        "from engine.starred import *\n\nmade()",
        "witnessed",
        "NameError: name 'made' is not defined",
    ),
    "looked_up": (
        "SIZE = 1",
        "WIDTH = 2",
        "import engine.looked_up\nprint(engine.looked_up.SIZE)",
        "witnessed",
        "AttributeError: module 'engine.looked_up' has no attribute 'SIZE'",
    ),
    "of_object": (
        "class Pool:\n    def __init__(self):\n        self.size = 1\n",
        "class Pool:\n    def __init__(self):\n        self.width = 1\n",
        "from engine.of_object import Pool\n\n\ndef size(pool: Pool):\n    return pool.size\n",
        "witnessed",
        "AttributeError: nothing gives objects of Pool the attribute 'size'",
    ),
    "of_lost_class": (
        "class Pool:\n    def __init__(self):\n        self.room = 1\n",
        "",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from engine.of_lost_class import Pool\n\n\n"
        "def room(pool: 'Pool'):\n    return pool.room\n",
        "witnessed",
        "AttributeError: module 'engine.of_lost_class' has no attribute 'Pool'",
    ),
    "answered": (
        "class Box:\n    def __getattr__(self, name): return 1\n",
        "class Box: ...\n",
        "from engine.answered import Box\n\n\ndef size(box: Box):\n    return box.size\n",
        "witnessed",
        "AttributeError: objects of Box no longer answer for 'size'",
    ),
    "set_from_outside": (
        "class Pool:\n    def __init__(self):\n        self.size = 1\n",
        "class Pool:\n    def __init__(self):\n        for name in ('size', 'width'):\n            setattr(self, name, 1)\n",
        "from engine.set_from_outside import Pool\n\n\ndef size(pool: Pool):\n    return pool.size\n",
        "contradicted",
        "it ends well on both sides",
    ),
    "unexpected": (
        "def run(a, b=1, c=2): ...",
        "def run(a, d, e): ...",
        "from engine.unexpected import run\n\nrun(1, b=2)",
        "witnessed",
        "TypeError: ",
    ),
    "missing": (
        "class Tool:\n    def run(self, a): ...",
        "class Tool:\n    def run(self, a, deep): ...",
        "from engine.missing import Tool\n\nTool().run(1)",
        "witnessed",
        "TypeError: missing a required argument: 'deep'",
    ),
    "called_object": (
        "class Tool:\n    def __call__(self, a): ...",
        "class Tool:\n    def __call__(self, a, deep): ...",
        "from engine.called_object import Tool\n\nTool()(1)",
        "witnessed",
        "TypeError: missing a required argument: 'deep'",
    ),
    "called_module": (
        f"{MODULE}\n    def forward(self, a): ...",
        f"{MODULE}\n    def forward(self, a, deep): ...",
        "from engine.called_module import Tool\n\n\ndef go(tool: Tool):\n    tool(1)\n",
        "witnessed",
        "TypeError: missing a required argument: 'deep'",
    ),
    "first_constructor": (
        "import unittest\n\n\nclass Tool(unittest.TestCase): ...",
        "import unittest\n\n\nclass Tool(unittest.TestCase):\n    def __init__(self, deep): ...",
        "from engine.first_constructor import Tool\n\nTool()",
        "witnessed",
        "TypeError: missing a required argument: 'deep'",
    ),
    "became_value": (
        "class Tool:\n    def fast(self): return True",
        "class Tool:\n    fast: bool = True",
        "from engine.became_value import Tool\n\n\nclass Own(Tool):\n    def fast(self): return False",
        "witnessed",
        "TypeError: fast is a value now, and no method",
    ),
    "of_a_union": (
        "class A:\n    def spin(self, a): ...\n\n\nclass B:\n    def spin(self, a): ...\n",
        "class A:\n    def spin(self, a, deep): ...\n\n\nclass B:\n    def spin(self, a, deep): ...\n",
        "from engine.of_a_union import A, B\n\n\ndef go(tool: A | B):\n    tool.spin(1)\n",
        "witnessed",
        "TypeError: missing a required argument: 'deep'",
    ),
    "put_on_object": (
        "class Tool:\n    def spin(self, a): ...\n\n\ndef steer(tool: Tool):\n    tool.spin(1)\n",
        "class Tool:\n    def spin(self, a, fast): ...\n\n\ndef steer(tool: Tool):\n    tool.spin(1, fast=2)\n",
        "from engine.put_on_object import Tool\n\n\ndef go(tool: Tool):\n    tool.spin = lambda a: a\n",
        "witnessed",
        "TypeError: got an unexpected keyword argument 'fast'",
    ),
    "left_out": (
        "class Tool:\n    def glide(self, a, deep): ...\n\n\ndef steer(tool: Tool):\n    tool.glide(1, 2)\n",
        "class Tool:\n    def glide(self, a, deep=0): ...\n\n\ndef steer(tool: Tool):\n    tool.glide(1)\n",
        "from engine.left_out import Tool\n\n\nclass Own(Tool):\n    def glide(self, a, deep): ...",
        "witnessed",
        "TypeError: missing a required argument: 'deep'",
    ),
    "decorated": (
        "def run(a): ...",
        "import functools\n\n\ndef lenient(function):\n    @functools.wraps(function)\n    def call(a, deep=0):\n"
        "        return function(a, deep)\n\n    del call.__wrapped__\n    return call\n\n\n@lenient\ndef run(a, deep): ...",
        "from engine.decorated import run\n\nrun(1)",
        "contradicted",
        "it ends well on both sides",
    ),
    "wrapped": (
        "class Tool:\n    def __init__(self, a, deep=0): ...",
        WRAPPED.format("self, a"),
        "from engine.wrapped import Tool\n\nTool(1, deep=2)",
        "not-witnessable",
        "RuntimeError: a decorator takes any argument",
    ),
    "wrapped_missing": (
        "class Tool:\n    def __init__(self, a): ...",
        WRAPPED.format("self, a, deep"),
        "from engine.wrapped_missing import Tool\n\nTool(1)",
        "not-witnessable",
        "RuntimeError: a decorator takes any argument",
    ),
    "reordered": (
        "def run(a, b): ...",
        "def run(b, a): ...",
        "from engine.reordered import run\n\nrun(1, 2)",
        "witnessed",
        "TypeError: the positional arguments fill b, a now",
    ),
    "coroutine": (
        "def run(): ...",
        "async def run(): ...",
        "from engine.coroutine import run\n\nx = run()",
        "witnessed",
        "TypeError: it is now a coroutine function",
    ),
    "passed_by_name": (
        "class Tool:\n    def run(self, a): ...\n\n\ndef use(tool: Tool):\n    tool.run(1)\n",
        "class Tool:\n    def run(self, a, deep=0): ...\n\n\ndef use(tool: Tool):\n    tool.run(1, deep=1)\n",
        "from engine.passed_by_name import Tool\n\n\nclass Mine(Tool):\n    def run(self, a): ...\n",
        "witnessed",
        "TypeError: got an unexpected keyword argument 'deep'",
    ),
    "required_of_ours": (
        "class Tool:\n    def run(self, a): ...\n",
        "class Tool:\n    def run(self, a, deep): ...\n",
        "from engine.required_of_ours import Tool\n\n\nclass Mine(Tool):\n    def run(self, a): ...\n",
        "witnessed",
        "TypeError: got an unexpected keyword argument 'deep'",
    ),
    "mixed_in": (
        "class Tool:\n    def run(self, a): ...\n\n\ndef use(tool: Tool):\n    tool.run(1)\n",
        "class Tool:\n    def run(self, a, deep=0): ...\n\n\ndef use(tool: Tool):\n    tool.run(1, deep=1)\n",
        "from engine.mixed_in import Tool\n\n\nclass Mixin:\n    def run(self, a): ...\n\n\n"
        "class Mine(Mixin, Tool): ...\n",
        "witnessed",
        "TypeError: got an unexpected keyword argument 'deep'",
    ),
    "named_in_body": (
        "class Tool:\n    def run(self, a): ...\n",
        "class Tool:\n    def run(self, a, deep): ...\n",
        "from engine.named_in_body import Tool\n\n\ndef ours(self, a): ...\n\n\nclass Mine(Tool):\n    run = ours\n",
        "witnessed",
        "TypeError: got an unexpected keyword argument 'deep'",
    ),
    "protocol": (
        "from typing import Protocol\n\n\nclass Part: ...\n\n\nclass Speaks(Protocol):\n"
        "    def forward(self): ...\n\n    def speak(self, a, extra): ...\n\n\ndef use(one):\n    one.speak(1, 2)\n",
        "from typing import Protocol\n\n\nclass Part: ...\n\n\nclass Speaks(Protocol):\n"
        "    def forward(self): ...\n\n    def speak(self, a): ...\n\n\ndef use(one):\n    one.speak(1)\n",
        "from engine.protocol import Part\n\n\nclass Mine(Part):\n    def forward(self): ...\n\n"
        "    def speak(self, a, extra): ...\n",
        "witnessed",
        "TypeError: missing a required argument: 'extra'",
    ),
    "asked_by_name": (
        "class Base: ...\n\n\nclass Worker(Base):\n    def profile(self, start): ...\n\n\ndef go(ask, start, end):\n"
        "    ask('profile', args=(start,))\n",
        "class Base: ...\n\n\nclass Worker(Base):\n    def profile(self, start, end): ...\n\n\ndef go(ask, start, end):\n"
        "    ask('profile', args=(start, end))\n",
        "from engine.asked_by_name import Base\n\n\nclass Mine(Base):\n    def profile(self, start): ...\n",
        "witnessed",
        "TypeError: got an unexpected keyword argument 'end'",
    ),
    "slots": (
        "class Box:\n    __slots__ = ('size',)\n\n    def __init__(self):\n        self.size = 1\n",
        "class Box:\n    __slots__ = ('width',)\n\n    def __init__(self):\n        self.width = 1\n",
        "from engine.slots import Box\n\n\ndef widen(box: Box):\n    box.size = 2\n",
        "witnessed",
        "AttributeError: nothing gives objects of Box the attribute 'size'",
    ),
    "hook": (
        "def hookspec(it): return it\n\n\n@hookspec\ndef tool_begins(tool): ...\n",
        "def hookspec(it): return it\n",
        "from engine.hook import hookspec as hookimpl\n\n\n@hookimpl\ndef tool_begins(tool): print(tool)\n",
        "witnessed",
        "AttributeError: engine.hook no longer specifies 'tool_begins'",
    ),
    "hook_argument": (
        "def hookspec(it): return it\n\n\nclass Specs:\n    @hookspec\n    def tool_ends(self, tool, code): ...\n",
        "def hookspec(it): return it\n\n\nclass Specs:\n    @hookspec\n    def tool_ends(self, tool): ...\n",
        "from engine.hook_argument import hookspec as hookimpl\n\n\n@hookimpl\ndef tool_ends(code): print(code)\n",
        "witnessed",
        "TypeError: tool_ends() no longer has the argument 'code'",
    ),
    "lost": (
        "def run(a, b): ...",
        "def run(a): ...",
        "import engine.lost\n\n\ndef ours(a, b): ...\n\n\nengine.lost.run = ours\n",
        "witnessed",
        "TypeError: missing a required argument: 'b'",
    ),
    "put_by_inner": (
        "class Tool:\n    def run(self, a): ...\n\n\ndef use(tool: Tool):\n    tool.run(1)\n",
        "class Tool:\n    def run(self, a, deep=0): ...\n\n\ndef use(tool: Tool):\n    tool.run(1, deep=1)\n",
        "from engine.put_by_inner import Tool\n\n\ndef put():\n    def ours(self, a): ...\n\n"
        "    Tool.run = ours\n",
        "witnessed",
        "TypeError: got an unexpected keyword argument 'deep'",
    ),
    "grafted": (
        "class Tool:\n    def run(self, a): ...\n\n\ndef use(tool: Tool):\n    tool.run(1)\n",
        "class Tool:\n    def run(self, a, deep=0): ...\n\n\ndef use(tool: Tool):\n    tool.run(1, deep=1)\n",
        "from engine.grafted import Tool\n\n\nclass Patch:\n    def __class_getitem__(cls, target):\n"
        "        return type('Patch', (cls,), {'target': target})\n\n    @classmethod\n    def apply(cls):\n"
        "        for name, it in vars(cls).items():\n            setattr(cls.target, name, it)\n\n\n"
        "class Mine(Patch[Tool]):\n    def run(self, a): ...\n",
        "witnessed",
        "TypeError: got an unexpected keyword argument 'deep'",
    ),
    "abstract": (
        "from abc import ABC, abstractmethod\n\n\nclass Base(ABC):\n    @abstractmethod\n    def __init__(self): ...\n",
        "from abc import ABC, abstractmethod\n\n\nclass Base(ABC):\n    @abstractmethod\n    def __init__(self): ...\n"
        "    @abstractmethod\n    def end(self): ...\n",
        "from engine.abstract import Base\n\n\nclass Mine(Base):\n    def __init__(self): ...\n",
        "witnessed",
        "Can't instantiate abstract class Mine",
    ),
    "frozen": (
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Base:\n    size: int\n",
        "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Base:\n    size: int\n",
        "from dataclasses import dataclass\n\nfrom engine.frozen import Base\n\n\n"
        "@dataclass\nclass Mine(Base):\n    more: int = 0\n",
        "witnessed",
        "TypeError: cannot inherit non-frozen dataclass from a frozen one",
    ),
    "read_only": (
        "class Base:\n    def __init__(self):\n        self.size = 1\n",
        "class Base:\n    @property\n    def size(self): return 1\n",
        "from engine.read_only import Base\n\n\nclass Mine(Base):\n    def __init__(self):\n        self.size = 2\n",
        "witnessed",
        "AttributeError: property 'size' of 'Mine' object has no setter",
    ),
    "hidden_by_property": (
        "class Base: ...\n",
        "class Base:\n    @property\n    def size(self): return 1\n",
        "from engine.hidden_by_property import Base\n\n\nclass Mine(Base):\n    def __init__(self):\n        self.size = 2\n",
        "witnessed",
        "AttributeError: property 'size' of 'Mine' object has no setter",
    ),
    "init_only": (
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Sizes:\n    size: int\n",
        "from dataclasses import InitVar, dataclass\n\n\n@dataclass\nclass Sizes:\n    size: InitVar[int]\n",
        "from engine.init_only import Sizes\n\n\ndef size(sizes: Sizes):\n    return sizes.size\n",
        "witnessed",
        "AttributeError: nothing gives objects of Sizes the attribute 'size'",
    ),
    "hidden": (
        "class Base:\n    size = 1\n\n    def __init__(self): ...\n",
        "class Base:\n    def __init__(self):\n        self.size = 1\n",
        "from engine.hidden import Base\n\n\nclass Mine(Base):\n    size = 2\n",
        "witnessed",
        "AttributeError: Base.__init__ sets 'size', which hides what a subclass sets",
    ),
    "unsettable": (
        "class Base:\n    def __init__(self): ...\n",
        "class Base:\n    def __init__(self):\n        self.size = 1\n",
        "from engine.unsettable import Base\n\n\nclass Mine(Base):\n    @property\n    def size(self): return 2\n",
        "witnessed",
        "AttributeError: Base.__init__ sets 'size', which hides what a subclass sets",
    ),
    "made_object": (
        "from abc import ABC\n\n\nclass Tool(ABC):\n    def run(self): ...\n",
        "from abc import ABC, abstractmethod\n\n\nclass Tool(ABC):\n    @abstractmethod\n    def run(self): ...\n",
        "from engine.made_object import Tool\n\nTool()",
        "witnessed",
        "TypeError: Can't instantiate abstract class Tool with abstract method run",
    ),
    "union": (
        "class Base: ...\n",
        "class A: ...\n\n\nclass B: ...\n\n\nBase = A | B\n",
        "from engine.union import Base\n\n\nclass Mine(Base): ...\n",
        "witnessed",
        "TypeError: ",
    ),
    "fields": (
        "from typing import NamedTuple\n\n\nclass Pair(NamedTuple):\n    a: int\n    b: int\n",
        "from typing import NamedTuple\n\n\nclass Pair(NamedTuple):\n    a: int\n    b: int\n    c: int\n",
        "from engine.fields import Pair\n\n\ndef run(pair: Pair):\n    a, b = pair\n",
        "witnessed",
        "ValueError: too many values to unpack (expected 2)",
    ),
    "handed": (
        "class Out:\n    size: int\n",
        "class Out:\n    size: list[int]\n",
        "from engine.handed import Out\n\n\ndef run(size: int): ...\n\n\ndef use(out: Out):\n    run(out.size)\n",
        "not-witnessable",
        "nothing that imports upstream alone can show what concerns a field type",
    ),
    "tested_for": (
        "class Mode: ...\n",
        "from typing import Literal\n\nMode = Literal['fast', 'slow']\n",
        "from engine.tested_for import Mode\n\n\ndef is_mode(value):\n    return isinstance(value, Mode)\n",
        "witnessed",
        "TypeError: Subscripted generics cannot be used",
    ),
    "key_read": (
        "from typing import TypedDict\n\n\nclass Data(TypedDict):\n    size: int\n",
        "from typing import TypedDict\n\n\nclass Data(TypedDict):\n    width: int\n",
        "from engine.key_read import Data\n\n\ndef size(data: Data):\n    return data['size']\n",
        "witnessed",
        "KeyError: 'size'",
    ),
    "key_required": (
        "from typing import TypedDict\n\n\nclass Data(TypedDict):\n    size: int\n",
        "from typing import TypedDict\n\n\nclass Data(TypedDict):\n    size: int\n    width: int\n",
        "from engine.key_required import Data\n\ndata = Data(size=1)\n",
        "witnessed",
        "TypeError: the key 'width' is required",
    ),
    "skipped_init": (
        "class Base:\n    def __init__(self):\n        self.a = 1\n\n    def run(self): return self.a\n",
        "class Base:\n    def __init__(self):\n        self.a = self.b = 1\n\n    def run(self): return self.b\n",
        "from engine.skipped_init import Base\n\n\nclass Mine(Base):\n    def __init__(self):\n        self.a = 2\n",
        "witnessed",
        "AttributeError: Base.run reads the attribute 'b', which only Base.__init__ sets",
    ),
    "orphaned": (
        "class Base:\n    def start(self): ...\n\n\ndef run(base: Base):\n    base.start()\n",
        "class Base: ...\n",
        "from engine.orphaned import Base\n\n\nclass Mine(Base):\n    def start(self):\n        print('mine')\n",
        "witnessed",
        "AttributeError: Base has no 'start': nothing calls ours",
    ),
    "replaced_setter": (
        "class Base:\n    def start(self):\n        self.a = 1\n\n    def run(self): return self.a\n",
        "class Base:\n    def start(self):\n        self.a = self.b = 1\n\n    def run(self): return self.b\n",
        "from engine.replaced_setter import Base\n\n\ndef start(self):\n    self.a = 2\n\n\nBase.start = start\n",
        "witnessed",
        "AttributeError: Base.run reads the attribute 'b', which only Base.start sets",
    ),
    "skipped_above": (
        "class Base:\n    def __init__(self):\n        self.a = 1\n\n    def begin(self): self.a = 1\n\n"
        "    def run(self): return self.a\n\n\nclass Near(Base):\n    def begin(self): ...\n",
        "class Base:\n    def __init__(self):\n        self.a = self.b = 1\n\n    def begin(self): self.b = 1\n\n"
        "    def run(self): return self.b\n\n\nclass Near(Base):\n    def begin(self): ...\n",
        "from engine.skipped_above import Near\n\n\nclass Mine(Near):\n    def __init__(self):\n        self.a = 2\n",
        "witnessed",
        "AttributeError: Base.run reads the attribute 'b', which only Base.__init__ sets",
    ),
    "wide_patch": (
        "def widened(f):\n    return lambda *a, **k: f(*a, **k)\n\n\n@widened\ndef made(a): ...\n",
        "def widened(f):\n    return lambda *a, **k: f(*a, **k)\n\n\n@widened\ndef made(a, b): ...\n",
        "import engine.wide_patch\n\n\ndef ours(a): ...\n\n\nengine.wide_patch.made = ours\n",
        "not-witnessable",
        "a decorator takes any argument",
    ),
    "unpacked": (
        "def run():\n    return 1, 2\n",
        "def run():\n    return 1, 2, 3\n",
        "from engine.unpacked import run\n\na, b = run()",
        "not-witnessable",
        "the call binds still",
    ),
    "broken_before": (
        "import nowhere_at_all\n\n\ndef made(): ...",
        "import nowhere_at_all\n\n\ndef other(): ...",
        "from engine.broken_before import made",
        "not-witnessable",
        "it fails before the change as well: ModuleNotFoundError: No module named 'nowhere_at_all'",
    ),
    "broken_after": (
        "def run(a, b): ...",
        "import nowhere_at_all\n\n\ndef run(a): ...",
        "from engine.broken_after import run\n\nrun(1, 2)",
        "not-witnessable",
        "it fails after the change for another reason: ModuleNotFoundError: No module named 'nowhere_at_all'",
    ),
}
