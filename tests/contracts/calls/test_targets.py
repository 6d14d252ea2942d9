"""Targets of calls: through forwarding, decorators, factories, conditions and results without annotations."""

from __future__ import annotations

import re

import pytest

from tests.contracts.world import audits, compare

G, NO_G = "def g(x, b=None): ...\n", "def g(x): ...\n"
FORWARDS = "def f(a, **kw):\n    return g(a, **kw)\n"
TOOL = "class Tool:\n    def run(self, a, b=0): ...\n    def other(self): ...\n"
LESS = TOOL.replace(", b=0", "")
RUN = "parameter-removed lib.a.Tool.run breaks {} b"
LOST = "parameter-removed lib.a.f breaks 2 b"
CALL = "from lib.a import f\nf(1, b=2)\nf(1)\n"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (NO_G + "def f(a, b=None, **kw):\n    return g(a, **kw)\n", NO_G + FORWARDS, [LOST]),
        (G + FORWARDS, NO_G + FORWARDS, [LOST]),
        (G + FORWARDS, NO_G + FORWARDS.replace("return", "b = kw.pop('b', 1)\n    return"), []),
        (G + FORWARDS, NO_G + FORWARDS.replace("return", "check(kw)\n    return"), []),
        (G + FORWARDS, "from outside import g\n" + FORWARDS, []),
        (G + FORWARDS, NO_G + "def f(a, **kw):\n    return g(a)\n", []),
        (G + FORWARDS, G + FORWARDS + "x = 1\n", []),
    ],
)
def test_keywords_that_upstream_hands_on(old: str, new: str, told: list[str]) -> None:
    assert compare(old, new, CALL) == told


POPS = "def f(a, **kw):\n    b = kw.pop('b', 1)\n    return unknown(a, **kw)\n"
FREE = "def f(a, **kw):\n    return unknown(a, **kw)\n"
NAMED = "def f(a, b=None, **kw):\n    return unknown(a, **kw)\n"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (POPS, FREE, [LOST]),
        (POPS.replace("pop", "get"), FREE, []),
        (POPS, FREE.replace("return", "if 'b' in kw: warn()\n    return"), []),
        (POPS, "@adapting\n" + FREE, []),
        (NAMED, NAMED.replace("b=", "c="), [LOST.replace("removed", "renamed")]),
        (NAMED, NAMED.replace("b=None", "c=2"), []),
        (NAMED, FREE, []),
        (NAMED, NAMED.replace("b=None", "c=None").replace("return", "c = c or kw.pop('b')\n    return"), []),
    ],
)
def test_keywords_that_nobody_takes_out_any_more(old: str, new: str, told: list[str]) -> None:
    assert compare(old, new, CALL) == told


def test_keywords_handed_on_to_a_class_method() -> None:
    base = "class P:\n    @classmethod\n    def make(cls, x, b=None): ...\n"
    call = "def f(a, **kw):\n    if kw:\n        check()\n    return P.make(a, **kw)\n"
    assert compare(base + call, base.replace(", b=None", "") + call, CALL) == [LOST]
    plain = base.replace("    @classmethod\n", "")
    assert compare(plain + call, plain.replace(", b=None", "") + call, CALL) == []


OPTION = "class Option:\n    def __init__(self, x, b=None): ...\n"
DECORATOR = """
def f(a, {keyword}**kw):
    def decorate(g):
        {copied}
        keep(g, cls(a, **{name}))
        return g
    return decorate
"""
POPPED = DECORATOR.format(
    keyword="", copied="mine = kw.copy(); cls = mine.pop('cls', None) or Option", name="mine"
)
NAMED_CLASS = DECORATOR.format(keyword="*, cls=None, ", copied="", name="kw").replace(
    "    def decorate", "    if cls is None:\n        cls = Option\n    def decorate"
)


@pytest.mark.parametrize("decorator", [POPPED, NAMED_CLASS, POPPED.replace("None) or Option", "Option)")])
def test_keywords_that_a_decorator_hands_on_to_what_is_a_default(decorator: str) -> None:
    old, new = OPTION + decorator, OPTION.replace(", b=None", "") + decorator
    assert compare(old, new, CALL) == [LOST]
    other = CALL.replace("b=2", "b=2, cls=Mine")
    assert compare(old, new, other) == []
    assert compare(old, new, CALL.replace("b=2", "b=2, **more")) == []


@pytest.mark.parametrize(
    "decorator",
    [
        POPPED.replace("kw.copy()", "changed(kw)"),
        POPPED.replace("keep(g", "cls = Other; keep(g"),
        POPPED.replace("None) or", "Other) or"),
        POPPED.replace("keep(g", "mine.update(b=g); keep(g"),
        NAMED_CLASS.replace("is None", "is Other"),
        NAMED_CLASS.replace("*, cls=None, ", "cls=None, "),
    ],
)
def test_keywords_that_a_decorator_may_hand_on_to_something_else(decorator: str) -> None:
    assert compare(OPTION + decorator, OPTION.replace(", b=None", "") + decorator, CALL) == []


MODEL = """
class Meta(type): ...
class Base(metaclass=Meta):
    def __init__(self, *args, **kw):
        bound(self, args, kw)
class C(Base):
    b: int = Field(1, doc="LONG")
    c = Field(2)
""".replace("LONG", "long " * 60)


def test_keywords_that_a_metaclass_makes_of_declarations() -> None:
    new = re.sub("    b: .*\n", "", MODEL)
    use = "from lib.a import C\nC(b=2)\n"
    assert compare(MODEL, new, use) == ["parameter-removed lib.a.Base.__init__ breaks 2 b"]
    assert compare(MODEL, new, use.replace("b=2", "c=2")) == []
    assert compare(MODEL.replace("Field(1,", "(1,"), new, use) == []
    assert compare(MODEL, new.replace("class C(Base)", "class C(Base, Outside)"), use) == []
    plain = MODEL.replace("metaclass=Meta", "metaclass=ABCMeta")
    assert compare(plain, re.sub("    b: .*\n", "", plain), use) == []


def test_keywords_that_a_constructor_hands_on() -> None:
    base = "class P:\n    def __init__(self, x, b=None): ...\n"
    child = "class C(P):\n    def __init__(self, x, **kw):\n        super().__init__(x, **kw)\n"
    use = "from lib.a import C\nC(1, b=2)\n"
    assert compare(base + child, base.replace(", b=None", "") + child, use) == [
        "parameter-removed lib.a.C.__init__ breaks 2 b"
    ]
    assert compare(base + child, base + child.replace("(P)", "(Outside)"), use) == []


WARNS = """
def dep(f):
    def inner(*args, **kw):
        kw.update(zip(names(f), args))
        return f(**kw)
    return inner
"""


def test_a_decorator_that_takes_by_place_what_became_keyword_only() -> None:
    use = "from lib.a import f\nf(1, 2)\n"
    old, new = WARNS + "def f(a=1, b=2): ...\n", WARNS + "@dep\ndef f(a=1, *, b=2): ...\n"
    assert compare(old, new, use) == []
    strict = new.replace("f(**kw)", "f(*args, **kw)")
    assert compare(old, strict, use) == ["parameter-removed lib.a.f breaks 2 1"]
    assert compare(old, new.replace(", *, b=2", ""), use) == ["parameter-removed lib.a.f breaks 2 1"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("    if b != 'old':\n        warn(b)\n    return a\n", False),
        ("    if b == 'old':\n        b = None\n    return b\n", False),
        ("    if b == 'old':\n        b = 1\n    return b\n", True),
        ("    return b\n", True),
        ("    if b == 'old':\n        warn()\n    return b\n", True),
    ],
)
def test_a_default_that_says_that_nothing_was_given(body: str, told: bool) -> None:
    old, new = "def f(a, b=None):\n    return b\n", f"def f(a, b='old'):\n{body}"
    rows = compare(old, new, "from lib.a import f\nf(1)\n")
    assert rows == (["default-changed lib.a.f at-risk 2 b"] if told else [])


def test_new_of_a_class_with_a_base_from_outside() -> None:
    old = "import datetime, enum\nclass T(datetime.datetime):\n    def __new__(cls, a=None, b=None): ...\n"
    use = "from lib.a import T\nT(1, b=2)\n"
    assert compare(old, old.replace(", b=None", ""), use) == ["parameter-removed lib.a.T.__new__ breaks 2 b"]
    named = old.replace("datetime.datetime", "enum.Enum")
    assert compare(named, named.replace(", b=None", ""), use) == []


def test_a_parameter_whose_place_another_one_takes() -> None:
    use = "from lib.a import f\nf(1, False)\n"
    old = "def f(g, weighted=False): ...\n"
    row = "parameter-reordered lib.a.f breaks 2 weighted"
    assert compare(old, "def f(g, nodes=None, weight=None): ...\n", use) == [row]
    assert compare(old, "def f(g, weights=None, other=None): ...\n", use) == []
    assert compare(old, "def f(g, nodes=None, other=None): ...\n", use) == []


@pytest.mark.parametrize(
    ("made", "reached"),
    [
        ("def load():\n    t = Tool()\n    return t\n", True),
        ("def load():\n    if x:\n        return None\n    return Tool()\n", True),
        ("class Box:\n    def __init__(self):\n        self.t = Tool()\n    def get(self):\n        return self.t\n"
         "def load():\n    b = Box()\n    return b.get()\n", False),
        ("def make():\n    return Tool()\ndef load():\n    return make()\n", True),
        ("def load():\n    t = Tool()\n    t = t.other()\n    return t\n", False),
        ("def load():\n    t = Tool(1)\n    if not t:\n        t = Tool(2)\n    return t\n", True),
        ("def load():\n    for t in all():\n        return t\n", False),
        ("@wrapped\ndef load():\n    return Tool()\n", False),
        ("def load():\n    yield Tool()\n    return Tool()\n", False),
        ("def load(Tool):\n    return Tool()\n", False),
        ("def load():\n    return load()\n", False),
    ],
)  # fmt: skip
def test_results_that_nobody_annotated(made: str, reached: bool) -> None:
    use = "from lib.a import load\nload(1).run(1, b=2)\n"
    rows = compare(TOOL + made, LESS + made, use)
    assert rows == ([RUN.format(2)] if reached else [])


REQUIRED = "class Base:\n    def __init__(self, a): ...\n"
MORE = REQUIRED.replace("a)", "a, b)")
OURS = "from lib.a import Base\nclass Ours(Base):\n    pass\n"


@pytest.mark.parametrize(
    ("factory", "reached"),
    [
        ("def make():\n    cls = Ours\n    return cls(1)\n", 6),
        ("def pick():\n    return Ours\ndef make():\n    cls = pick()\n    return cls(1)\n", 8),
        ("def pick() -> type[Ours]: ...\ndef make():\n    return pick()(1)\n", 6),
        ("def make(cls: type[Ours]):\n    return cls(1)\n", 5),
        ("class F:\n    def __init__(self):\n        self.cls = Ours\n    def make(self):\n        return self.cls(1)\n", 8),
        ("class F:\n    cls: type[Base]\n    def make(self):\n        return self.cls(1)\n", 7),
        ("def make(cls: type[int]):\n    return cls(1)\n", 0),
        ("def make(cls):\n    return cls(1)\n", 0),
    ],
)  # fmt: skip
def test_constructors_through_variables_and_factories(factory: str, reached: int) -> None:
    rows = compare(REQUIRED, MORE, OURS + factory)
    assert rows == ([f"parameter-added lib.a.Base.__init__ breaks {reached} b"] if reached else [])


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("    assert isinstance(self.a.b, Tool)\n    self.a.b.run(1, b=2)\n", 4),
        ("    assert x and isinstance(x, Tool)\n    x.run(1, b=2)\n", 4),
        ("    if isinstance(x, Tool) and y:\n        x.run(1, b=2)\n", 4),
        ("    if not isinstance(x, Tool):\n        pass\n    else:\n        x.run(1, b=2)\n", 6),
        ("    return isinstance(x, Tool) and x.run(1, b=2)\n", 3),
        ("    match self.x:\n        case Tool():\n            self.x.run(1, b=2)\n", 5),
        ("    if isinstance(x, Tool) or y:\n        x.run(1, b=2)\n", 0),
        ("    if isinstance(x, Tool):\n        pass\n    else:\n        x.run(1, b=2)\n", 0),
        ("    if isinstance(x, Tool):\n        x = y\n        x = z\n        x.run(1, b=2)\n", 0),
        ("    match x:\n        case Other():\n            x.run(1, b=2)\n", 0),
    ],
)
def test_narrowing(body: str, line: int) -> None:
    use = f"from lib.a import Tool\ndef use(self, x, y):\n{body}"
    assert compare(TOOL, LESS, use) == ([RUN.format(line)] if line else [])


KEEPS = """
class Facts: ...
class Base:
    def __init__(self, size, kind: type[Facts] | None = None):
        self.kind = kind if kind is not None else Facts
"""
HANDS = """
from dataclasses import dataclass
from lib.a import Base, Facts
@dataclass
class Ours(Facts):
    more: int = 0
class Mine(Base):
    def __init__(self, size, kind: type[Ours] | None = None):
        super().__init__(size, kind if kind is not None else Ours)
    def make(self):
        return self.kind(more=1)
"""


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        (HANDS, []),
        (HANDS.replace("size, kind if kind is not None else Ours", "size, kind=Ours"), []),
        (HANDS.replace("size, kind if kind is not None else Ours", "size, made_elsewhere()"), []),
        (HANDS + "class Last(Mine):\n    def go(self):\n        self.kind(more=2)\n", []),
        (HANDS.replace("size, kind if kind is not None else Ours", "size"), ["10: lib.a.Facts() does not take more"]),
        (HANDS.replace("more: int", "less: int"), ["10: plugin.Ours() does not take more"]),
    ],
)  # fmt: skip
def test_a_class_that_a_derived_constructor_hands_to_its_base(backend: str, said: list[str]) -> None:
    facts = KEEPS.replace(
        "class Facts: ...", "from dataclasses import dataclass\n@dataclass\nclass Facts:\n    x: int = 0"
    )
    assert audits(facts, facts, backend) == said


@pytest.mark.parametrize(
    ("kept", "line"),
    [
        ("def use(t: Tool):\n    run = t.run\n    def g():\n        run(1{})\n", 5),
        ("def use():\n    run = Tool.run\n    run(Tool(), 1{})\n", 4),
        ("run = Tool.make\nrun(1{})\n", 3),
    ],
)
def test_methods_that_are_kept_under_a_name(kept: str, line: int) -> None:
    old = TOOL + "    @classmethod\n    def make(cls, a, b=0): ...\n"
    new, use = old.replace(", b=0", ""), f"from lib.a import Tool\n{kept}"
    assert audits(old, old, use.format("")) == []
    assert compare(old, new, use.format("")) == []
    name = "make" if "make" in kept else "run"
    assert compare(old, new, use.format(", b=2")) == [f"parameter-removed lib.a.Tool.{name} breaks {line} b"]


def test_the_super_of_a_class_inside_a_function_is_not_that_of_the_class_around() -> None:
    inner = (
        "from lib.a import Tool\nclass Mine(Tool):\n    def make(self):\n        class Inner(other.Kind):\n"
    )
    inner += "            def run(self):\n                super().run(1, b=2)\n"
    assert compare(TOOL, LESS, inner + "        return Inner\n") == []
    assert compare(TOOL, LESS, inner + "        super().run(1, b=2)\n") == [RUN.format(7)]


KEPT = "class C:\n    def __init__(self, **kw):\n        {}\n"
TAKEN_OUT = KEPT.format("self.b = kw.pop('b', 1)\n        unknown(**kw)")
MAKE = "from lib.a import C\nc = C(b=2)\nprint(c.b)\n"
LEFT = "for key, value in kw.items():\n            setattr({}, {}, value)\n        unknown(**kw)"


@pytest.mark.parametrize(
    ("rest", "verdicts"),
    [
        (LEFT.format("self", "key"), ["at-risk"]),
        ("self.__dict__.update(kw)\n        unknown(**kw)", ["at-risk"]),
        ("vars(self).update(kw)\n        unknown(**kw)", ["at-risk"]),
        ("unknown(**kw)", ["breaks", "breaks"]),
        (LEFT.format("other", "key"), ["breaks", "breaks"]),
        (LEFT.format("self", "'key'"), ["breaks", "breaks"]),
    ],
)
def test_a_constructor_that_keeps_what_it_does_not_know(rest: str, verdicts: list[str]) -> None:
    """The keyword is not lost then, and the attribute is there where it is given."""
    rows = compare(TAKEN_OUT, KEPT.format(rest), MAKE)
    assert [row.split()[2] for row in rows] == verdicts


def test_what_is_required_beyond_what_is_not_taken_any_more() -> None:
    old = "class B:\n    def __init__(self, a, *, size=1): ...\nclass C(B):\n    def __init__(self, *a, **kw):\n        super().__init__(*a, **kw)\n"
    new = old.replace("size=1", "config")
    told = compare(old, new, "from lib.a import C\nC(1, size=2)\n")
    assert [row.split()[0] for row in told] == ["parameter-added", "parameter-removed"], told
    assert (
        compare(old, new.replace("config", "config=1, size=1"), "from lib.a import C\nC(1, size=2)\n") == []
    )
