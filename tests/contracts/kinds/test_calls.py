"""Calls: what a changed signature or result means for the line that calls."""

from __future__ import annotations

import pytest

from tests.contracts.compare import compare, engine, told
from tests.contracts.world import compare as lib

CALL = "from engine.core import f\n\nf(1, b=2)\n"
DATA = "from dataclasses import dataclass, field, KW_ONLY\n"
POINT = DATA + "@dataclass\nclass Point:\n    x: int\n"
MAKE = "from engine.core import Point\n\np = Point(x=1)\n"
BASE = "class Base:\n    def __init__(self, size, wide=False): ...\n"
CHILD = "class Child(Base):\n    pass\n"
RUN = "class Tool:\n    def run(self, a, b=0): ...\n"


@pytest.mark.parametrize(
    ("old", "new", "plugin", "expected"),
    [
        pytest.param("def f(a, b=0): ...", "def f(a): ...", CALL,
                     ["parameter-removed core.f breaks 3"], id="unexpected keyword"),
        pytest.param("def f(a, b=0): ...", "def f(a, c=0): ...", CALL,
                     ["parameter-renamed core.f breaks 3"], id="keyword renamed"),
        pytest.param("def f(a, b=0): ...", "def f(a, b=0, *, c): ...", CALL,
                     ["parameter-added core.f breaks 3"], id="missing new one"),
        pytest.param("def f(a=0, b=0, c=0): ...", "def f(a, b, c): ...", CALL,
                     ["parameter-required core.f breaks 3"], id="missing old one"),
        pytest.param("def f(a, b): ...", "def f(a): ...", "from engine.core import f\nf(1, 2)\n",
                     ["parameter-removed core.f breaks 2"], id="too many"),
        pytest.param("def f(a, b): ...", "def f(b, a): ...", "from engine.core import f\nf(1, 2)\n",
                     ["parameter-reordered core.f breaks 2"], id="swapped"),
        pytest.param("def f(a, b=0): ...", "def f(z, a, b=0): ...", "from engine.core import f\nf(1, 2)\n",
                     ["parameter-reordered core.f breaks 2"], id="inserted before"),
        pytest.param("def f(a, b): ...", "def f(a, b, /): ...", CALL,
                     ["parameter-removed core.f breaks 3", "parameter-required core.f breaks 3"],
                     id="positional only"),
        pytest.param(POINT, POINT + "    y: int\n", MAKE,
                     ["parameter-added core.Point breaks 3"], id="field added"),
        pytest.param(POINT, POINT + "    _: KW_ONLY\n    y: int\n", MAKE,
                     ["parameter-added core.Point breaks 3"], id="keyword-only field added"),
        pytest.param(POINT, POINT.replace("x: int", "x: int = field(init=False)"), MAKE,
                     ["parameter-removed core.Point breaks 3"], id="field left out of the constructor"),
        pytest.param(BASE + CHILD, BASE.replace("wide=False", "depth, wide=False") + CHILD,
                     "from engine.core import Child\nChild(1)\n",
                     ["parameter-added core.Base.__init__ breaks 2"], id="inherited constructor"),
        pytest.param(BASE + CHILD, BASE.replace(", wide=False", "") + CHILD,
                     "from engine.core import Child\nclass Mine(Child):\n    def __init__(self):\n"
                     "        super().__init__(1, wide=True)\n",
                     ["parameter-removed core.Base.__init__ breaks 4"], id="super().__init__"),
        pytest.param(RUN, RUN.replace(", b=0", ""),
                     "from engine.core import Tool\nclass Mine(Tool):\n    def go(self):\n"
                     "        super().run(1, b=2)\n",
                     ["parameter-removed core.Tool.run breaks 4"], id="super().method"),
        pytest.param(RUN, RUN.replace(", b=0", ""),
                     "from engine.core import Tool\nclass Mine(Tool):\n    def go(self):\n"
                     "        self.run(1, b=2)\n",
                     ["parameter-removed core.Tool.run breaks 4"], id="self.method"),
        pytest.param(RUN, RUN.replace(", b=0", ""),
                     "from engine.core import Tool\nclass Mine(Tool):\n    def run(self, a, b=0):\n"
                     "        return Tool.run(self, a, b=b)\n",
                     ["parameter-removed core.Tool.run breaks 4"], id="method of the class"),
        pytest.param("def f(a, b=0): ...", "def f(a): ...",
                     "import functools\nfrom engine.core import f\ng = functools.partial(f, b=1)\n",
                     ["parameter-removed core.f breaks 3"], id="partial"),
        pytest.param("def f():\n    return 1, 2\n", "def f():\n    return 1, 2, 3\n",
                     "from engine.core import f\na, b = f()\n",
                     ["return-shape-changed core.f breaks 2"], id="tuple grew"),
        pytest.param("def f() -> tuple[int, int]: ...\n", "def f() -> tuple[int, int, int]: ...\n",
                     "from engine.core import f\na, b = f()\n",
                     ["return-shape-changed core.f breaks 2"], id="annotated tuple grew"),
        pytest.param("def f() -> int: ...\n", "def f() -> None: ...\n",
                     "from engine.core import f\na = f()\n",
                     ["return-shape-changed core.f breaks 2"], id="returns nothing now"),
        pytest.param("def f(): ...\n", "async def f(): ...\n", "from engine.core import f\na = f()\n",
                     ["async-changed core.f breaks 2"], id="became async"),
        pytest.param("async def f(): ...\n", "def f(): ...\n",
                     "from engine.core import f\nasync def go():\n    return await f()\n",
                     ["async-changed core.f breaks 3"], id="no longer async"),
        pytest.param("async def f(): ...\n", "async def f():\n    yield 1\n",
                     "from engine.core import f\nasync def go():\n    return await f()\n",
                     ["async-changed core.f breaks 3"], id="became an asynchronous generator"),
        pytest.param("class Tool:\n    @classmethod\n    def of(cls, a): ...\n",
                     "class Tool:\n    @classmethod\n    def of(cls, a, b): ...\n",
                     "from engine.core import Tool\nTool.of(1)\n",
                     ["parameter-added core.Tool.of breaks 2"], id="class method"),
        pytest.param("class Tool:\n    @staticmethod\n    def of(a): ...\n",
                     "class Tool:\n    @staticmethod\n    def of(a, b): ...\n",
                     "from engine.core import Tool\nTool().of(1)\n",
                     ["parameter-added core.Tool.of breaks 2"], id="static method"),
        pytest.param("class Tool:\n    @staticmethod\n    def of(a): ...\n",
                     "class Tool:\n    def of(self, a): ...\n",
                     "from engine.core import Tool\nTool.of(1)\n",
                     ["parameter-added core.Tool.of breaks 2"], id="static method became a method"),
    ],
)  # fmt: skip
def test_calls_that_no_longer_fit(old: str, new: str, plugin: str, expected: list[str]) -> None:
    assert told(old, new, plugin) == expected


@pytest.mark.parametrize(
    ("old", "new", "plugin"),
    [
        pytest.param("def f(a, b=0): ...", "def f(a, **kwargs): ...", CALL, id="keyword swallowed"),
        pytest.param("def f(a, b=0): ...", "def f(a, b=0, c=0): ...", CALL, id="optional added"),
        pytest.param("def f(a, b=0): ...", "def f(a, *, c=0, b=1): ...", CALL, id="keywords in any order"),
        pytest.param("def f(a, b=0): ...", "def f(first, b=0): ...", CALL, id="positional renamed"),
        pytest.param("def f(a, b): ...", "def f(a, b, c): ...",
                     "from engine.core import f\ndef go(*args):\n    f(*args)\n", id="starred arguments"),
        pytest.param("def f(a, b): ...", "def f(a, b, *, c): ...",
                     "from engine.core import f\ndef go(**more):\n    f(1, 2, **more)\n",
                     id="starred keywords"),
        pytest.param(POINT, POINT + "    y: int = 0\n", MAKE, id="field with a default"),
        pytest.param(POINT, POINT + "    y: list = field(default_factory=list)\n", MAKE,
                     id="field with a factory"),
        pytest.param(POINT, POINT + "    y: 'ClassVar[int]'\n", MAKE, id="class variable"),
        pytest.param(POINT, POINT + "    y: int = field(init=False)\n", MAKE, id="field set later"),
        pytest.param(BASE + CHILD, "class Root:\n    def __init__(self, size): ...\n"
                     "class Base(Root): ...\n" + CHILD,
                     "from engine.core import Child\nChild(1)\n", id="constructor moved to a base"),
        pytest.param(RUN, RUN.replace("a, b=0", "a, b=0, c=0"),
                     "from engine.core import Tool\nclass Mine(Tool):\n    def go(self):\n"
                     "        super().run(1, b=2)\n", id="super().method"),
        pytest.param(RUN, RUN.replace(", b=0", ""),
                     "from engine.core import Tool\nclass Mine(Tool):\n    def run(self, a, b=0): ...\n"
                     "    def go(self):\n        self.run(1, b=2)\n", id="its own method is called"),
        pytest.param("def f(a, b=0): ...", "def f(a, b=0, c=0): ...",
                     "import functools\nfrom engine.core import f\ng = functools.partial(f, b=1)\n",
                     id="partial"),
        pytest.param("def f(a, b=0): ...", "def f(a, c, b=0): ...",
                     "import functools\nfrom engine.core import f\ng = functools.partial(f, b=1)\n",
                     id="partial may be completed later"),
        pytest.param("def f():\n    return 1, 2\n", "def f():\n    return 1, 2, 3\n",
                     "from engine.core import f\na, *b = f()\n", id="starred target"),
        pytest.param("def f():\n    return 1, 2\n", "def f():\n    return 1, 2, 3\n",
                     "from engine.core import f\na = f()\n", id="tuple kept whole"),
        pytest.param("def f() -> int: ...\n", "def f() -> None: ...\n",
                     "from engine.core import f\nf()\n", id="result not used"),
        pytest.param("async def f(): ...\n", "async def f(a=0): ...\n",
                     "from engine.core import f\nasync def go():\n    await f()\n", id="still async"),
        pytest.param("def f() -> AsyncIterator[int]: ...\n",
                     "async def f() -> AsyncIterator[int]:\n    yield 1\n",
                     "from engine.core import f\nasync def go():\n    async for x in f(): ...\n",
                     id="goes through it still"),
        pytest.param("def f(): ...\n", "async def f():\n    yield 1\n",
                     "from engine.core import f\nasync def go():\n    async for x in f(): ...\n",
                     id="gave nobody knows what"),
        pytest.param("class Tool:\n    def of(self, a): ...\n", "class Tool:\n    @classmethod\n"
                     "    def of(cls, a): ...\n",
                     "from engine.core import Tool\nTool().of(1)\n", id="method became a class method"),
        pytest.param("class Tool:\n    def of(self, a): ...\n", "class Tool:\n    @staticmethod\n"
                     "    def of(a): ...\n",
                     "from engine.core import Tool\nTool().of(1)\n", id="method became static"),
        pytest.param("from typing import overload\n@overload\ndef f(a: int): ...\ndef f(a, b=0): ...\n",
                     "from typing import overload\n@overload\ndef f(a: int, c: int): ...\n"
                     "def f(a, b=0, c=0): ...\n", CALL, id="overload stubs"),
        pytest.param("def f(a, b=0): ...", "def f(a): ...",
                     "from engine.core import f\ndef go(f):\n    f(1, b=2)\n", id="another f"),
        pytest.param("def f(a, b=0): ...", "def f(a, b=0, c): ...", CALL, id="cannot be parsed"),
    ],
)  # fmt: skip
def test_calls_that_still_fit(old: str, new: str, plugin: str) -> None:
    assert told(old, new, plugin) == []


SWAP = "def f(n, flag: bool): ...\n"
SWAPPED = "def f(n, path: str, flag: bool = False): ...\n"


@pytest.mark.parametrize("call", ["f(1, path)", "f(1, own.path)", "f(1, 'ASCEND')"])
def test_a_call_that_was_written_for_the_new_order(call: str) -> None:
    plugin = f"from engine.core import f\ndef g(path, own):\n    {call}\n"
    assert told(SWAP, SWAPPED, plugin) == []


@pytest.mark.parametrize("call", ["f(1, flag)", "f(1, True)", "f(1, other())"])
def test_a_call_that_was_written_for_the_old_order(call: str) -> None:
    plugin = f"from engine.core import f\ndef g(flag, other):\n    {call}\n"
    assert told(SWAP, SWAPPED, plugin) == ["parameter-reordered core.f breaks 3"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("return super().go()", [], id="an override hands it on"),
        pytest.param(
            "x = super().go()\n        return x", ["return-shape-changed core.Base.go breaks 4"], id="kept"
        ),
        pytest.param("return super().go().y", ["return-shape-changed core.Base.go breaks 4"], id="asked"),
    ],
)
def test_who_uses_a_result_that_is_gone(body: str, expected: list[str]) -> None:
    old = "class Base:\n    def go(self) -> dict: ...\n"
    own = f"from engine.core import Base\nclass Mine(Base):\n    def go(self):\n        {body}\n"
    new = old.replace("dict", "None")
    assert [r for r in told(old, new, own) if r.startswith("return-shape")] == expected


def test_another_method_that_returns_a_result_that_is_gone() -> None:
    old = "class Base:\n    def go(self) -> dict: ...\n"
    own = "from engine.core import Base\nclass Mine(Base):\n    def run(self):\n        return super().go()\n"
    assert told(old, old.replace("dict", "None"), own) == ["return-shape-changed core.Base.go breaks 4"]


BATCH = "from dataclasses import dataclass\n@dataclass\nclass Batch:\n    size: int\n"
OWN_BATCH = """\
from dataclasses import dataclass
from engine.core import Batch
@dataclass
class Mine(Batch):
    mine: int = 0
def make():
    return Mine(size=1, mine=2)
"""


@pytest.mark.parametrize(
    ("new", "plugin", "expected"),
    [
        pytest.param(BATCH + "    rank: int\n", OWN_BATCH, ["parameter-added core.Batch breaks 7"], id="required"),
        pytest.param(BATCH + "    rank: int = 0\n", OWN_BATCH, [], id="with a default"),
        pytest.param(BATCH + "    rank: int\n", OWN_BATCH.replace("2)", "2, rank=0)"), [], id="passed"),
        pytest.param(BATCH + "    rank: int\n",
                     OWN_BATCH.replace("    mine: int", "    def __init__(self, size, mine): ...\n    mine: int"),
                     [], id="a constructor of our own"),
        pytest.param(BATCH + "    rank: int\n", OWN_BATCH.replace("(Batch)", ""), [], id="another class"),
    ],
)  # fmt: skip
def test_our_own_class_takes_the_fields_of_its_base(new: str, plugin: str, expected: list[str]) -> None:
    assert told(BATCH, new, plugin) == expected


@pytest.mark.parametrize(
    ("decorator", "verdict"),
    [("@renamed('b', to='c')\n", "at-risk"), ("@renamed('d', to='c')\n", "breaks"), ("@renamed\n", "breaks")],
)
def test_a_decorator_that_is_given_the_old_name_may_take_it(decorator: str, verdict: str) -> None:
    """As those do that warn of a renamed parameter."""
    top = "from warn import renamed\n"
    assert told(f"{top}def f(a, b=0): ...\n", f"{top}{decorator}def f(a, c=0): ...\n", CALL) == [
        f"parameter-renamed core.f {verdict} 3"
    ]


TAKEN = "from warn import renamed\n@renamed('b', to='c')\ndef f(a, c=0): ...\n"


@pytest.mark.parametrize(
    ("decorator", "verdict"),
    [("@renames('b', new_name='c')\n", "at-risk"), ("@renames('b')\n", "breaks"), ("", "breaks")],
)
def test_a_decorator_may_hand_a_keyword_on_under_the_name_that_is_required(
    decorator: str, verdict: str
) -> None:
    top = "def renames(*names, **more): ...\n"
    found = told(f"{top}def f(a, b): ...\n", f"{top}{decorator}def f(a, c): ...\n", CALL_NAMED)
    assert f"parameter-added core.f {verdict} 2" in found or f"parameter-renamed core.f {verdict} 2" in found


CALL_NAMED = "from engine.core import f\nf(a=1, b=2)\n"


def test_a_function_inside_another_one_is_what_its_name_means_there() -> None:
    plugin = "from engine.core import f\ndef g():\n    def f(a, b): ...\n    f(1, 2)\ndef h():\n    f(1, 2)\n"
    assert told("def f(a, b): ...\n", "def f(a): ...\n", plugin) == ["parameter-removed core.f breaks 6"]


def test_a_keyword_that_only_a_decorator_took_is_refused_without_it() -> None:
    bare = TAKEN.replace("@renamed('b', to='c')\n", "")
    (found,) = compare(engine(TAKEN), engine(bare), {"plugin/use.py": CALL})
    assert found.kind == "parameter-renamed"
    assert found.verdict == "breaks"
    assert found.reason == "engine.core.f() no longer takes b; it takes c instead"


@pytest.mark.parametrize(
    "new",
    [
        TAKEN + "x = 1\n",
        TAKEN.replace("@renamed('b', to='c')", "@taken('b')"),
        TAKEN.replace("@renamed('b', to='c')\n", "").replace("c=0", "c=0, b=None"),
        TAKEN.replace("@renamed('b', to='c')\n", "").replace("c=0", "c=0, **more"),
    ],
)
def test_a_keyword_that_is_still_taken(new: str) -> None:
    assert [row for row in told(TAKEN, new, CALL) if " breaks " in row] == []


def test_a_keyword_that_nobody_took_before_is_no_news() -> None:
    old = TAKEN.replace("'b'", "'d'")
    assert told(old, old.replace("@renamed('d', to='c')\n", ""), CALL) == []


@pytest.mark.parametrize(("use", "is_told"), [("await f()", False), ("f()", False), ("x = await f()", True)])
def test_a_result_that_nothing_is_done_with_is_not_missed(use: str, is_told: bool) -> None:
    old, new = "async def f() -> bool:\n    return True\n", "async def f() -> None:\n    return\n"
    plugin = f"from engine.core import f\nasync def g():\n    {use}\n"
    assert bool(told(old, new, plugin)) is is_told


FIELDS = "from dataclasses import dataclass\n@dataclass\nclass S:\n    a: int\n    b: int = 0\n"
FEWER = FIELDS.replace("    b: int = 0\n", "")
HEAD = "import copy\nimport dataclasses\nfrom dataclasses import replace\nfrom lib.a import S\ndef f(s: S, more):\n"


@pytest.mark.parametrize(
    "code",
    [
        "replace(s, b=2)",
        "dataclasses.replace(s, **{'b': 2})",
        "s._replace(b=2)",
        "S(**{'a': 1, 'b': 2})",
        "S(**dict(a=1, b=2))",
        "S(a=1, **{'b': 2, **more})",
        "given = {'a': 1, 'b': 2}; S(**given)",
        "given = dict(a=1, b=2); given['a'] = 3; S(**given)",
        "given = {'a': 1}; given['b'] = 2; S(**given)",
        "given = {'a': 1}; given.update(dict(b=2)); S(**given)",
        "given = {'a': 1}; given.update({'b': 2}, **more); S(**given)",
        "given = {'a': 1}; given.setdefault('b', 2); S(**given)",
        "first = {'b': 2}; given = first | more; given['a'] = 1; S(**given)",
        "first = {'b': 2}; given = {'a': 1, **first}; S(**given)",
        "if more:\n        given = {'a': 1}\n        given['b'] = 2\n        S(**given)",
        "given = {'a': 1, 'b': 2}; given.update(more); S(**given)",
    ],
)
def test_a_field_that_is_gone_is_passed_in_other_words(code: str) -> None:
    told = lib(FIELDS, FEWER, f"{HEAD}    {code}\n")
    assert told == [f"parameter-removed lib.a.S breaks {len(code.splitlines()) + 5} b"]


@pytest.mark.parametrize(
    "code",
    [
        "replace(s, a=2)",
        "other.replace(s, b=2)",
        "S(**more)",
        "given = {'a': 1, 'b': 2}; given.pop('b'); S(**given)",
        "given = {'a': 1, 'b': 2}; change(given); S(**given)",
        "given = {'a': 1, 'b': 2}\n    if more:\n        given = {'a': 1}\n    S(**given)",
        "given = {'a': 1}; S(**given); given['b'] = 2",
        "given = {'a': 1}\n    if more.version:\n        given['b'] = 2\n    S(**given)",
        "given = {'a': 1}\n    for b in more:\n        given[b] = 2\n    S(**given)",
        "given = {'a': 1}; given[more] = 2; S(**given)",
        "given = more | {'a': 1}; S(**given)",
        "given, other = {'a': 1, 'b': 2}, more; S(**given)",
        "given = {'a': 1, 'b': 2}; other = {'c': given}; change(other); S(**given)",
        "more = {'a': 1, 'b': 2}; S(**more)",
    ],
)
def test_what_is_passed_with_stars_is_not_known(code: str) -> None:
    assert lib(FIELDS, FEWER, f"{HEAD}    {code}\n") == []


@pytest.mark.parametrize(
    ("code", "is_told"),
    [
        ("given = {'a': 1}; S(**given)", True),
        ("given = dict(a=1); given.update(b=2); S(**given)", True),
        ("given = {'a': 1}\n    if more:\n        given['b'] = 2\n    S(**given)", True),
        ("S(1, **({'b': 2} if more else {}))", True),
        ("given = {'a': 1}\n    if more:\n        given['c'] = 2\n    S(**given)", False),
        ("given = {'a': 1}\n    if more:\n        given.update(more)\n    S(**given)", False),
        ("S(1, **({'c': 2} if more else {}))", False),
        ("S(1, **(more if more else {}))", False),
        ("given = {'a': 1} | more; S(**given)", False),
    ],
)
def test_a_field_that_is_required_newly_is_lacking_where_all_keys_are_known(code: str, is_told: bool) -> None:
    # Before, a field of that name could be passed.
    old, new = (
        f"{FIELDS}    c: int = 0\n",
        f"{FIELDS}    c: int\n".replace("b: int = 0\n    c: int", "c: int\n    b: int = 0"),
    )
    told = lib(old, new, f"{HEAD}    {code}\n")
    assert [row for row in told if " breaks " in row and row.endswith(" c")] == (
        [f"parameter-required lib.a.S breaks {len(code.splitlines()) + 5} c"] if is_told else []
    )


PASSES_ON = "def f(a, **more):\n    return g(a, **more)\ndef g(a{}): ...\n"
REFUSES = "def f(a, b=None):\n    if b is None:\n        raise ValueError\n"
LEAVES = "def f(a, b={}): ...\n"
SOMETIMES = "from lib.a import f\ndef use(more):\n    given = {'a': 1}\n    if more:\n        given['b'] = 2\n    f(**given)\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(PASSES_ON.format(", b=0"), PASSES_ON.format(", b"), id="required further on"),
        pytest.param(LEAVES.format("None"), REFUSES, id="refused"),
        pytest.param(LEAVES.format("1"), LEAVES.format("2"), id="another default"),
        pytest.param(LEAVES.format("1"), LEAVES.format("2").replace("b=2", "b"), id="required"),
    ],
)
def test_a_keyword_that_not_each_run_passes(old: str, new: str) -> None:
    assert lib(old, new, SOMETIMES) == []
    assert lib(old, new, SOMETIMES.replace("'b'", "'a'")) != []


@pytest.mark.parametrize("copied", ["replace(s, a=1)", "copy.copy(s)", "copy.deepcopy(s)"])
def test_a_copy_is_of_the_class_of_what_is_copied(copied: str) -> None:
    assert lib(FIELDS, FEWER, f"{HEAD}    t = {copied}\n    return t.b\n") == [
        "attribute-removed lib.a.S.b breaks 7 b"
    ]


def test_too_many_arguments_are_told_with_what_is_gone() -> None:
    old = "def run(x, mode, size): ...\n"
    plugin = {"plugin/use.py": "from engine.core import run\nrun(1, 2, 3)\n"}
    for new, said in (
        ("x, mode", ": size is gone"),
        ("x", ": mode, size are gone"),
        ("x, mode, *, size=0", ": size can be passed by name only"),
        ("x, *, mode=0", ": size is gone"),
    ):
        found = compare(engine(old), engine(old.replace("x, mode, size", new)), plugin)
        told_of = [f.reason for f in found if " at most " in f.reason]
        assert [reason.partition(" positional arguments")[2] for reason in told_of] == [said]
