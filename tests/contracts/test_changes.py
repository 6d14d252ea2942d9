"""Small before/after pairs: what each kind of upstream change means for one line of a plugin, and what it
does not mean."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from syncbot.contracts.changes import NameDetails
from tests.contracts.foreign_world import compare


@dataclass(frozen=True)
class Case:
    """``lib/a.py`` before and after, the plugin, and the findings as ``kind verdict line``."""

    name: str
    old: str
    new: str
    plugin: str
    expected: tuple[str, ...] = ()


USE = "from lib.a import f\n\nf(1, b=2)\n"
SUB = "from lib.a import Base\n\n\nclass Mine(Base):\n    def run(self, x):\n        return x\n"
BASE = "class Base:\n    def run(self, x):\n        return x\n\n\ndef drive(b: Base):\n    return b.run(1)\n"
READ = "from lib.a import Box\n\n\ndef read(box: Box):\n    return box.size\n"

CASES = [
    Case("nothing", "def f(a, b): ...\n", "def f(a, b): ...\nx = 1\n", USE),
    # imports
    Case("name removed", "def f(a, b): ...\n", "", USE, ("symbol-removed breaks 1",)),
    Case(
        "name renamed with its body",
        "def f(a, b):\n    c = a\n    return c + b\n",
        "def g(a, b):\n    c = a\n    return c + b\n",
        "from lib.a import f\n",
        ("symbol-renamed breaks 1",),
    ),
    Case(
        "caught import",
        "f = 1\n",
        "",
        "try:\n    from lib.a import f\nexcept ImportError:\n    f = None\n",
        ("symbol-removed at-risk 2",),
    ),
    Case(
        "import for type checkers",
        "class F: ...\n",
        "",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from lib.a import F\n",
        ("symbol-removed at-risk 3",),
    ),
    Case(
        "import inside a function",
        "def f(): ...\n",
        "",
        "def late():\n    from lib.a import f\n    return f\n",
        ("symbol-removed breaks 2",),
    ),
    Case(
        "code for one other version",
        "def f(): ...\n",
        "",
        'if version_is("1.2.3"):\n    from lib.a import f\nelse:\n    f = None\n',
    ),
    Case(
        "re-export kept",
        "def f(): ...\n",
        "from lib.b import f\n",
        "from lib.a import f\n",
    ),
    Case(
        "module with __getattr__",
        "f = 1\n",
        "def __getattr__(n): ...\n",
        "from lib.a import f\n",
        ("symbol-removed breaks 1",),
    ),
    # calls
    Case("keyword gone", "def f(a, b=1): ...\n", "def f(a): ...\n", USE, ("parameter-removed breaks 3",)),
    Case("keyword swallowed", "def f(a, b=1): ...\n", "def f(a, **kwargs): ...\n", USE),
    Case("now required", "def f(a, b=1): ...\n", "def f(a, b, c): ...\n", USE, ("parameter-added breaks 3",)),
    Case("new with default", "def f(a, b=1): ...\n", "def f(a, b=1, c=2): ...\n", USE),
    Case(
        "renamed parameter",
        "def f(a, b=1): ...\n",
        "def f(a, bee=1): ...\n",
        USE,
        ("parameter-renamed breaks 3",),
    ),
    Case(
        "positional shift",
        "def f(a, b, c=0, d=0): ...\n",
        "def f(a, c=0, d=0): ...\n",
        "from lib.a import f\n\nf(1, 2, 3)\n",
        ("parameter-reordered breaks 3",),
    ),
    Case(
        "swapped parameters",
        "def f(a, b): ...\n",
        "def f(b, a): ...\n",
        "from lib.a import f\n\nf(1, 2)\n",
        ("parameter-reordered breaks 3",),
    ),
    Case("positional name only", "def f(a, b): ...\n", "def f(x, b): ...\n", USE),
    Case(
        "too many positional",
        "def f(a, b): ...\n",
        "def f(a, *, b): ...\n",
        "from lib.a import f\n\nf(1, 2)\n",
        ("parameter-removed breaks 3", "parameter-required breaks 3"),
    ),
    Case(
        "longer tuple",
        "def f():\n    return 1, 2\n",
        "def f():\n    return 1, 2, 3\n",
        "from lib.a import f\n\nx, y = f()\n",
        ("return-shape-changed breaks 3",),
    ),
    Case(
        "same tuple",
        "def f():\n    return 1, 2\n",
        "def f():\n    return 3, 4\n",
        "from lib.a import f\n\nx, y = f()\n",
    ),
    Case(
        "became a coroutine function",
        "def f(): ...\n",
        "async def f(): ...\n",
        "from lib.a import f\n\nx = f()\n",
        ("async-changed breaks 3",),
    ),
    Case(
        "dataclass field added",
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n",
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: int\n",
        "from lib.a import P\n\nP(x=1)\n",
        ("parameter-added breaks 3",),
    ),
    Case(
        "dataclass field with default added",
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n",
        "from dataclasses import dataclass, field\n@dataclass\nclass P:\n    x: int\n"
        "    y: list = field(default_factory=list)\n",
        "from lib.a import P\n\nP(x=1)\n",
    ),
    Case(
        "named tuple field removed",
        "from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n    y: int = 0\n",
        "from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n",
        "from lib.a import P\n\nP(x=1, y=2)\n",
        ("parameter-removed breaks 3",),
    ),
    Case(
        "super call",
        "class Base:\n    def run(self, x, y=0): ...\n",
        "class Base:\n    def run(self, x): ...\n",
        "from lib.a import Base\n\n\nclass Mine(Base):\n    def run(self, x, y=0):\n"
        "        super().run(x, y=y)\n",
        ("parameter-removed breaks 6",),
    ),
    Case(
        "partial",
        "def f(a, b=1): ...\n",
        "def f(a): ...\n",
        "from functools import partial\n\nfrom lib.a import f\n\ng = partial(f, b=2)\n",
        ("parameter-removed breaks 5",),
    ),
    # attributes
    Case(
        "attribute removed",
        "class Box:\n    def __init__(self):\n        self.size = 1\n",
        "class Box:\n    def __init__(self):\n        self.length = 1\n",
        READ,
        ("attribute-removed breaks 5",),
    ),
    Case(
        "attribute moved to a base",
        "class Box:\n    def __init__(self):\n        self.size = 1\n",
        "class Root:\n    size = 1\n\n\nclass Box(Root): ...\n",
        READ,
    ),
    Case(
        "attribute on one branch",
        "class Box:\n    def __init__(self, wide):\n        self.size = 1\n",
        "class Box:\n    def __init__(self, wide):\n        if wide:\n            self.size = 1\n",
        READ,
        ("attribute-conditional at-risk 5",),
    ),
    Case(
        "attribute became a method",
        "class Box:\n    size: int = 1\n",
        "class Box:\n    def size(self):\n        return 1\n",
        READ,
        ("attribute-became-method breaks 5",),
    ),
    Case(
        "attribute became a property",
        "class Box:\n    size: int = 1\n",
        "class Box:\n    @property\n    def size(self):\n        return 1\n",
        READ,
    ),
    Case(
        "tested attribute",
        "class Box:\n    size = 1\n",
        "class Box: ...\n",
        "from lib.a import Box\n\n\ndef read(box: Box):\n    return getattr(box, 'size', 0)\n",
        ("attribute-removed at-risk 5",),
    ),
    Case(
        "enum member",
        "from enum import Enum\nclass Kind(Enum):\n    ONE = 1\n    TWO = 2\n",
        "from enum import Enum\nclass Kind(Enum):\n    ONE = 1\n",
        "from lib.a import Kind\n\nx = Kind.TWO\n",
        ("attribute-removed breaks 3",),
    ),
    Case(
        "own attribute hides upstream's",
        "class Box:\n    size = 1\n",
        "class Box: ...\n",
        "from lib.a import Box\n\n\nclass Mine(Box):\n    size = 2\n\n    def read(self):\n"
        "        return self.size\n",
    ),
    # overrides
    Case(
        "base passes a new keyword",
        BASE,
        BASE.replace("self, x", "self, x, y=0").replace("run(1)", "run(1, y=2)"),
        SUB,
        ("parameter-added breaks 5",),
    ),
    Case(
        "base takes more, nobody passes it",
        BASE,
        BASE.replace("self, x", "self, x, y=0"),
        SUB,
        ("parameter-added at-risk 5",),
    ),
    Case(
        "base takes more, override takes anything",
        BASE,
        BASE.replace("self, x", "self, x, y=0").replace("run(1)", "run(1, y=2)"),
        SUB.replace("self, x", "self, x, **kwargs"),
    ),
    Case(
        "base requires more",
        BASE,
        BASE.replace("self, x", "self, x, y").replace("run(1)", "run(1, 2)"),
        SUB,
        ("parameter-required breaks 5",),
    ),
    Case(
        "base lost a parameter",
        BASE,
        BASE.replace("self, x", "self").replace("return x", "return 0").replace("run(1)", "run()"),
        SUB,
        ("parameter-removed breaks 5",),
    ),
    Case(
        "positional parameter renamed",
        BASE,
        BASE.replace("self, x", "self, y").replace("return x", "return y"),
        SUB,
    ),
    Case(
        "method renamed",
        "class Base:\n    def run(self, x):\n        y = x\n        z = y\n        return z\n",
        "class Base:\n    def go(self, x):\n        y = x\n        z = y\n        return z\n",
        SUB,
        ("method-renamed breaks 5",),
    ),
    Case(
        "method became a property",
        "class Base:\n    def run(self): ...\n",
        "class Base:\n    @property\n    def run(self): ...\n",
        SUB.replace("self, x", "self").replace("return x", "return 1"),
        ("method-kind-changed breaks 5",),
    ),
    Case(
        "result where there was none",
        "class Base:\n    def run(self, x) -> None: ...\n",
        "class Base:\n    def run(self, x) -> float: ...\n",
        SUB.replace("return x", "pass"),
        ("return-shape-changed breaks 5",),
    ),
    # subclasses
    Case(
        "abstract method added",
        "from abc import ABC, abstractmethod\nclass Base(ABC):\n    def run(self, x): ...\n",
        "from abc import ABC, abstractmethod\nclass Base(ABC):\n    def run(self, x): ...\n"
        "    @abstractmethod\n    def stop(self): ...\n",
        SUB,
        ("abstract-method-added breaks 4",),
    ),
    Case(
        "abstract method that is there",
        "from abc import ABC, abstractmethod\nclass Base(ABC):\n    def run(self, x): ...\n",
        "from abc import ABC, abstractmethod\nclass Base(ABC):\n    @abstractmethod\n"
        "    def run(self, x): ...\n",
        SUB,
    ),
    Case(
        "left-out constructor sets more",
        "class Base:\n    def __init__(self):\n        self.x = 1\n"
        "    def go(self):\n        return self.x\n",
        "class Base:\n    def __init__(self):\n        self.x = 1\n        self.y = 2\n"
        "    def go(self):\n        return self.y\n",
        "from lib.a import Base\n\n\nclass Mine(Base):\n    def __init__(self):\n        self.x = 3\n",
        ("attribute-added breaks 5",),
    ),
    Case(
        "called constructor sets more",
        "class Base:\n    def __init__(self):\n        self.x = 1\n"
        "    def go(self):\n        return self.x\n",
        "class Base:\n    def __init__(self):\n        self.x = 1\n        self.y = 2\n"
        "    def go(self):\n        return self.y\n",
        "from lib.a import Base\n\n\nclass Mine(Base):\n    def __init__(self):\n"
        "        super().__init__()\n",
    ),
    # monkey-patches and strings
    Case(
        "patch target gone",
        "def f(a): ...\n",
        "",
        "import lib.a\n\n\ndef mine(a): ...\n\n\nlib.a.f = mine\n",
        ("patch-target-removed breaks 7",),
    ),
    Case(
        "patch target only an alias",
        "def f(a): ...\n",
        "from lib.b import f\n",
        "import lib.a\n\n\ndef mine(a): ...\n\n\nlib.a.f = mine\n",
        ("patch-target-moved at-risk 7",),
    ),
    Case(
        "dotted string",
        "class Tool: ...\n",
        "",
        'PATH = "lib.a.Tool"\nWORD = "lib"\n',
        ("symbol-removed breaks 1",),
    ),
]

HOME = "def f(a): ...\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_change_and_what_it_means(case: Case, tmp_path: Path) -> None:
    old = {"lib/__init__.py": "", "lib/a.py": case.old, "lib/b.py": HOME}
    new = {"lib/__init__.py": "", "lib/a.py": case.new, "lib/b.py": HOME}
    found = compare(tmp_path, old, new, {"plugin/__init__.py": case.plugin})
    shown = {f"{f.kind} {f.verdict} {f.contract.place.location.line}" for f in found}
    assert shown == set(case.expected), [f.reason for f in found]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_tree_breaks_nothing_on_the_way_to_itself(case: Case, tmp_path: Path) -> None:
    same = {"lib/__init__.py": "", "lib/a.py": case.old, "lib/b.py": HOME}
    assert compare(tmp_path, same, same, {"plugin/__init__.py": case.plugin}) == []


def test_a_moved_module_is_one_fact_with_its_new_home(tmp_path: Path) -> None:
    text = "class Tool:\n    def use(self, a): ...\n"
    plugin = "from lib.a import Tool\n\n\ndef go(tool: Tool):\n    tool.use(1)\n"
    (finding,) = compare(
        tmp_path,
        {"lib/__init__.py": "", "lib/a.py": text},
        {"lib/__init__.py": "", "lib/tools/__init__.py": "", "lib/tools/a.py": text},
        {"plugin/__init__.py": plugin},
    )
    assert finding.kind == "module-moved"
    assert finding.details == NameDetails(old=finding.symbol, new="lib.tools.a")


def test_what_else_changed_in_a_moved_class_is_still_seen(tmp_path: Path) -> None:
    text = "class Tool:\n    def use(self, a{more}): ...\n"
    plugin = "from lib.a import Tool\n\n\ndef go(tool: Tool):\n    tool.use(1)\n"
    found = compare(
        tmp_path,
        {"lib/__init__.py": "", "lib/a.py": text.format(more="")},
        {"lib/__init__.py": "", "lib/z.py": text.format(more=", b")},
        {"plugin/__init__.py": plugin},
    )
    assert {(f.kind, f.contract.place.location.line) for f in found} == {
        ("module-moved", 1),
        ("parameter-added", 5),
    }


def test_a_copied_body_drifts_where_it_has_the_changed_lines(tmp_path: Path) -> None:
    body = "".join(f"        step_{i}(x)\n" for i in range(8))
    upstream = f"class Base:\n    def run(self, x):\n{body}        return x\n"
    plugin = (
        f"from lib.a import Base\n\n\nclass Mine(Base):\n    def run(self, x):\n{body}        return -x\n"
    )
    found = compare(
        tmp_path,
        {"lib/__init__.py": "", "lib/a.py": upstream},
        {"lib/__init__.py": "", "lib/a.py": upstream.replace("step_3(x)", "step_3(x + 1)")},
        {"plugin/__init__.py": plugin},
    )
    assert [(f.kind, f.verdict.value) for f in found] == [("copied-body-changed", "drift")]
    (tmp_path / "again").mkdir()
    elsewhere = compare(
        tmp_path / "again",
        {"lib/__init__.py": "", "lib/a.py": upstream},
        {"lib/__init__.py": "", "lib/a.py": upstream.replace("return x", "return +x")},
        {"plugin/__init__.py": plugin},
    )
    assert elsewhere == []
