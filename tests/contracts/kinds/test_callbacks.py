"""Functions of the backend that upstream is given, and calls with other arguments now."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

HEAD = "from lib.a import *\n"
RUN = "def run(fn, more=()):\n    fn(1)\n"
LIST = "_FNS = []\ndef run(fn):\n    _FNS.append(fn)\ndef all_():\n    for fn in _FNS:\n        fn(1)\n"
TABLE = (
    "_T = {}\ndef run(name):\n    def put(fn):\n        _T[name] = fn\n        return fn\n    return put\n"
)
TABLE += "def call(name):\n    found = _T.get(name)\n    return found(1)\n"
KEPT = "class run:\n    def __init__(self, cb=None):\n        self.cb = cb\n    def go(self):\n        if self.cb:\n"
KEPT += "            self.cb(1)\n"
FIELD = "from dataclasses import dataclass\n@dataclass\nclass run:\n    cb: object = None\n"
FIELD += "    def go(self):\n        self.cb(1)\n"
HOOKS = "class run:\n    def __init__(self):\n        self.hooks = {}\n    def on(self, fn):\n"
HOOKS += "        self.hooks.setdefault('a', []).append(fn)\n    def go(self):\n        for h in self.hooks['a']:\n"
HOOKS += "            h(1)\n"
ON = "def g(r: run):\n    r.on(lambda x: 1)\n"
OWN = "def cb(x): ...\n"


def told(old: str, body: str, call: str = "(1)", now: str = "(1, 2)") -> list[str]:
    """Return the findings where upstream now calls the callback with more arguments."""
    assert call in old
    return compare(old, old.replace(call, now), HEAD + body)


@pytest.mark.parametrize(
    ("old", "body", "line"),
    [
        pytest.param(RUN, OWN + "def g():\n    run(cb)\n", 4, id="a function"),
        pytest.param(RUN, OWN + "def g():\n    run(fn=cb)\n", 4, id="by name"),
        pytest.param(RUN, "def g():\n    run(lambda x: 1)\n", 3, id="a lambda"),
        pytest.param(RUN, "def g():\n    def cb(x): ...\n    run(cb)\n", 4, id="an inner function"),
        pytest.param(
            RUN, "class C:\n    def cb(self, x): ...\n    def g(self):\n        run(self.cb)\n", 5, id="a method"
        ),
        pytest.param(
            RUN, "class C:\n    @staticmethod\n    def cb(x): ...\nrun(C.cb)\n", 5, id="a static method"
        ),
        pytest.param(RUN, "class C:\n    @classmethod\n    def cb(cls, x): ...\nrun(C.cb)\n", 5, id="a class method"),
        pytest.param(RUN, "class C:\n    def __init__(self, x): ...\nrun(C)\n", 4, id="a class"),
        pytest.param(RUN, "class C:\n    def __call__(self, x): ...\nrun(C())\nc = C()\nrun(c)\n", 6, id="an object"),
        pytest.param(
            RUN, "import functools\ndef cb(x, y): ...\nrun(functools.partial(cb, y=1), 2)\n", 4, id="a partial"
        ),
        pytest.param(
            RUN.replace("    fn(1)", "    help(fn)") + "def help(f):\n    f(1)\n", OWN + "run(cb)\n", 3, id="handed on"
        ),
        pytest.param(
            "class T:\n    def run(self, fn):\n        self.help(f=fn)\n    def help(self, f):\n        f(1)\n",
            OWN + "def g(t: T):\n    t.run(cb)\n",
            4,
            id="handed on to a method",
        ),
        pytest.param("def run(*fns):\n    for f in fns:\n        f(1)\n", OWN + "run(print, cb)\n", 3, id="of several"),
        pytest.param("def run(fns):\n    for f in fns:\n        f(1)\n", OWN + "run([cb])\n", 3, id="in a list"),
        pytest.param("def run(fn):\n    if fn is None:\n        fn = print\n    fn(1)\n", OWN + "run(cb)\n", 3, id="default"),
        pytest.param("def run(fn):\n    def inner():\n        fn(1)\n    return inner\n", OWN + "run(cb)\n", 3, id="later"),
        pytest.param(LIST, OWN + "run(cb)\n", 3, id="kept in a list"),
        pytest.param(LIST, "@run\ndef cb(x): ...\n", 2, id="decorated"),
        pytest.param(TABLE, "@run('a')\ndef cb(x): ...\n", 2, id="decorated with arguments"),
        pytest.param(TABLE, OWN + "run('a')(cb)\n", 3, id="registered under a name"),
        pytest.param(KEPT, OWN + "t = run(cb)\n", 3, id="an attribute"),
        pytest.param(KEPT, OWN + "class M(run): ...\nt = M(cb=cb)\n", 4, id="an attribute of a derived class"),
        pytest.param(FIELD, OWN + "t = run(cb)\n", 3, id="a field"),
        pytest.param(HOOKS, ON, 3, id="hooks of an object"),
    ],
)  # fmt: skip
def test_it_is_called_with_more(old: str, body: str, line: int) -> None:
    assert [
        r for r in told(old, body) if f" breaks {line}" in r and r.startswith("callback-called-otherwise")
    ]


@pytest.mark.parametrize(
    ("old", "body", "call", "now"),
    [
        pytest.param(RUN, "def cb(x, y=1): ...\nrun(cb)\n", "(1)", "(1, 2)", id="it takes more"),
        pytest.param(RUN, "def cb(*a): ...\nrun(cb)\n", "(1)", "(1, 2)", id="it takes all"),
        pytest.param(RUN, "def cb(x, y): ...\nrun(cb)\n", "(1)", "(1, 2, 3)", id="it never fitted"),
        pytest.param(RUN, "def d(f): ...\n@d\ndef cb(x): ...\nrun(cb)\n", "(1)", "(1, 2)", id="decorated"),
        pytest.param(RUN, "def g(cb):\n    run(cb)\n", "(1)", "(1, 2)", id="not known"),
        pytest.param(RUN, "def g():\n    def cb(x): ...\n    cb = 2\n    run(cb)\n", "(1)", "(1, 2)", id="bound anew"),
        pytest.param(
            RUN, OWN + "run(cb)\n", "    fn(1)", "    try:\n        fn(1, 2)\n    except TypeError:\n        fn(1)",
            id="a second attempt",
        ),
        pytest.param(
            RUN, OWN + "run(cb)\n", "    fn(1)", "    fn(1, 2) if new(fn) else fn(1)", id="one of two"
        ),
        pytest.param(RUN, OWN + "run(cb)\n", "    fn(1)", "    fn = wrap(fn)\n    fn(1, 2)", id="wrapped"),
        pytest.param(
            RUN, OWN + "run(cb)\n", "    fn(1)", "    g = fn if two(fn) else (lambda a, b: fn(a))\n    g(1, 2)",
            id="adapted",
        ),
        pytest.param(RUN, OWN + "run(cb)\n", "    fn(1)", "    g = lambda fn: fn(1, 2)", id="another of its name"),
        pytest.param(
            RUN, OWN + "run(cb)\n", "    fn(1)", "    n = len(inspect.signature(fn).parameters)\n    fn(1, n)",
            id="looked into",
        ),
        pytest.param("@adapt\n" + RUN, OWN + "run(cb)\n", "(1)", "(1, 2)", id="a decorator of upstream's"),
        pytest.param(KEPT, OWN + "run(cb)\n", "self.cb = cb", "self.cb = adapt(cb)", id="adapted"),
        pytest.param(
            KEPT, OWN + "class M(run):\n    def go(self): ...\nM(cb)\n", "(1)", "(1, 2)", id="called by what is overridden"
        ),
        pytest.param(
            HOOKS, "def g(r: run):\n    r.on(lambda x: 1)\n", "for h in self.hooks['a']:\n            h(1)",
            "for h in self.hooks['b']:\n            h(1, 2)", id="other hooks",
        ),
        pytest.param(LIST, OWN + "run(cb)\n", "for fn in _FNS:\n        fn(1)", "for fn in f(_FNS):\n        fn(1, 2)", id="others"),
        pytest.param("class A:\n    def m(self): ...\n" + RUN, "class C:\n    def cb(self, x): raise NotImplementedError\n    def g(self):\n        run(self.cb)\n", "(1)", "(1, 2)", id="left to others"),
        pytest.param(RUN, "try:\n    run(lambda x: 1)\nexcept TypeError:\n    run(lambda x, y: 1)\n", "(1)", "(1, 2)", id="tried here"),
    ],
)  # fmt: skip
def test_what_is_not_told(old: str, body: str, call: str, now: str) -> None:
    assert told(old, body, call, now) == []


@pytest.mark.parametrize(
    ("old", "body", "call", "now"),
    [
        ("def run(hooks):\n    hooks['a'](1)\n", "run({'a': cb})\n", "(1)", "(1, 2)"),
        ("def run(hooks):\n    for h in hooks.values():\n        h(1)\n", "run({'a': cb})\n", "(1)", "(1, 2)"),
        ("_F = None\ndef run(f):\n    global _F\n    _F = f\ndef go():\n    _F(1)\n", "run(cb)\n", "(1)", "()"),
        ("class R:\n    _T = {}\n    @classmethod\n    def put(cls, k, f):\n        cls._T[k] = f\n    @classmethod\n"
         "    def get(cls, k):\n        return cls._T[k](1)\n", "R.put('a', cb)\n", "(1)", "(1, 2)"),
        ("class R:\n    def put(self, fs):\n        self.fs.extend(fs)\n    def go(self):\n        for f in self.fs:\n"
         "            f(1)\n", "def g(r: R):\n    r.put([cb])\n", "(1)", "(x=1, y=2)"),
        ("def run(f):\n    a, b = f(1)\n", "run(two)\n", "a, b =", "a, b, c ="),
        ("async def run(f):\n    f(1)\n", "async def g():\n    await run(cb)\n", "f(1)\n", "await f(1)\n"),
    ],
)  # fmt: skip
def test_other_ways(old: str, body: str, call: str, now: str) -> None:
    own = "def two(x):\n    return 1, 2\n" + OWN
    assert [
        r
        for r in told(old, own + body, call, now)
        if r.startswith("callback-called-otherwise") and " breaks " in r
    ]


@pytest.mark.parametrize(
    ("old", "body", "call", "now"),
    [
        ("def run(hooks):\n    hooks['a'](1)\n    hooks['b'](1)\n", "run({'a': cb})\n", "['b'](1)", "['b'](1, 2)"),
        ("def run(f):\n    a, b = f(1)\n", "def two(x):\n    return other()\nrun(two)\n", "a, b =", "a, b, c ="),
        ("async def run(f):\n    f(1)\n", "async def co(x): ...\nasync def g():\n    await run(co)\n", "f(1)\n",
         "await f(1)\n"),
        ("async def run(f):\n    f(1)\n", "async def g():\n    await run(cb)\n", "    f(1)\n",
         "    if iscoroutinefunction(f):\n        await f(1)\n    else:\n        f(1)\n"),
    ],
)  # fmt: skip
def test_other_ways_that_still_fit(old: str, body: str, call: str, now: str) -> None:
    assert told(old, OWN + body, call, now) == []


def test_a_pool_is_handed_it() -> None:
    old = "def run(fn, pool):\n    pool.submit(fn, 1)\n"
    assert told(old, OWN + "run(cb, 1)\n", "fn, 1", "fn, 1, 2")
    assert told(old, OWN + "run(cb, 1)\n", "fn, 1", "fn, 2") == []


@pytest.mark.parametrize(
    "now",
    [
        "if wants(fn):\n        fn(1, 2)\n    else:\n        adapt(fn)(1, 2)",
        "if issubclass(fn, int):\n        fn(1, 2)",
    ],
)
def test_where_upstream_may_look_first(now: str) -> None:
    assert told(RUN, OWN + "run(cb)\n", "fn(1)", now) == ["callback-called-otherwise lib.a.run at-risk 3"]


def test_a_class_is_decorated() -> None:
    body = "@run('a')\nclass C:\n    def __init__(self, x): ...\n"
    assert told(TABLE, body) == ["callback-called-otherwise lib.a.run breaks 2"]
    assert told(TABLE, body.replace("x)", "x, y=0)")) == []


def test_where_upstream_catches_it() -> None:
    new = "    try:\n        fn(1, 2)\n    except Exception:\n        log()"
    assert told(RUN, OWN + "run(cb)\n", "    fn(1)", new) == ["callback-called-otherwise lib.a.run at-risk 3"]


PROTOCOL = (
    "from typing import Protocol\nclass H(Protocol):\n    def __call__(self, a): ...\ndef run(fn: H): ...\n"
)
ONE = "from typing import Callable\ndef run(fn: Callable[[int], int]): ...\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (ONE, ONE.replace("[int]", "[int, int]")),
        (ONE, ONE.replace("Callable[[int], int]", "'Callable[[], int] | None'")),
        (
            ONE,
            ONE.replace("def", "H = Callable[[int, int], int]\ndef").replace(
                "fn: Callable[[int], int]", "fn: H"
            ),
        ),
        (PROTOCOL, PROTOCOL.replace("self, a", "self, a, b")),
        (PROTOCOL, PROTOCOL.replace("self, a", "self, a, *, key")),
    ],
)
def test_what_is_declared(old: str, new: str) -> None:
    assert compare(old, new, HEAD + OWN + "run(cb)\n") == ["callback-called-otherwise lib.a.run breaks 3 fn"]


@pytest.mark.parametrize(
    "new",
    [
        ONE.replace("[int]", "..."),
        ONE.replace("[int]", "[*Ts]"),
        ONE.replace("Callable[[int], int]", "Callable[[int, int], int] | Callable[[int], int]"),
        ONE.replace("[int]", "[int, int]").replace(": ...", ":\n    fn(1)"),
        ONE.replace("Callable[[int], int]", "object"),
    ],
)
def test_what_is_not_declared(new: str) -> None:
    assert [r for r in compare(ONE, new, HEAD + OWN + "run(cb)\n") if r.startswith("callback")] == []
