"""Classes of objects that go through containers, functions, loops and queues before they are asked."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Thing:
    gone: int = 1
class Other:
    gone: int = 1
def make() -> Thing: ...
"""
NEW = OLD.replace("gone: int", "kept: int", 1)
HEAD = "from typing import *\nfrom lib.a import *\n"
TOLD = {
    "key": "def f(ts: list[Thing]):\n    return sorted(ts, key=lambda t: t.gone)\n",
    "key of max": "def f(ts: list[Thing]):\n    return max(ts, key=lambda t: t.gone, default=None)\n",
    "sort": "def f(ts: list[Thing]):\n    ts.sort(key=lambda t: -t.gone)\n",
    "key of pairs": "def f(ts: dict[str, Thing]):\n    return sorted(ts.items(), key=lambda kt: kt[1].gone)\n",
    "filter": "def f(ts: list[Thing]):\n    return list(filter(lambda t: t.gone, ts))\n",
    "map second": "def f(q, ts: list[Thing]):\n    return list(map(lambda x, t: t.gone, q, ts))\n",
    "match as": "def f(t):\n    match t:\n        case Thing() as mine:\n            return mine.gone\n",
    "type is": "def f(t):\n    if type(t) is Thing:\n        return t.gone\n",
    "Callable": "def f(make_one: Callable[[int], Thing]):\n    return make_one(1).gone\n",
    "field Callable": "class C:\n    mk: Callable[[], Thing]\n    def g(self):\n        return self.mk().gone\n",
    "queue": "class C:\n    q: 'queue.Queue[Thing]'\n    def g(self):\n        return self.q.get().gone\n",
    "future": "def f(task: asyncio.Task[Thing]):\n    return task.result().gone\n",
    "gather": (
        "import asyncio\nasync def m() -> Thing: ...\n"
        "async def f():\n    for t in await asyncio.gather(m(), m()):\n        t.gone\n"
    ),
    "run": "import asyncio\nasync def m() -> Thing: ...\ndef f():\n    return asyncio.run(m()).gone\n",
    "wait_for": (
        "import asyncio\nasync def m() -> Thing: ...\n"
        "async def f():\n    return (await asyncio.wait_for(m(), 1)).gone\n"
    ),
    "enter_context": (
        "@contextmanager\ndef m():\n    yield make()\n"
        "def f(stack):\n    t = stack.enter_context(m())\n    return t.gone\n"
    ),
    "own context": "@contextmanager\ndef m():\n    yield make()\ndef f():\n    with m() as t:\n        t.gone\n",
    "generator": "def m():\n    yield make()\ndef f():\n    for t in m():\n        t.gone\n",
    "own tuple": "def m():\n    return make(), 1\ndef f():\n    t, n = m()\n    return t.gone\n",
    "tuple of method": (
        "class C:\n    def m(self):\n        t = make()\n        return 1, t\n"
        "    def g(self):\n        n, t = self.m()\n        return t.gone\n"
    ),
    "named tuple": "class P(NamedTuple):\n    t: Thing\n    n: int\ndef f(p: P):\n    t, n = p\n    return t.gone\n",
    "named tuple item": "class P(NamedTuple):\n    n: int\n    t: Thing\ndef f(p: P):\n    return p[-1].gone\n",
    "item": "class C:\n    def __getitem__(self, i) -> Thing: ...\ndef f(c: C):\n    return c[0].gone\n",
    "loop": (
        "class C:\n    def __iter__(self) -> Iterator[Thing]: ...\ndef f(c: C):\n    for t in c:\n        t.gone\n"
    ),
    "loop that yields": (
        "class C:\n    def __iter__(self):\n        yield make()\ndef f(c: C):\n    for t in c:\n        t.gone\n"
    ),
    "filled dictionary": (
        "class C:\n    def __init__(self):\n        self.ts = {}\n    def put(self, k):\n        self.ts[k] = make()\n"
        "    def g(self, k):\n        return self.ts[k].gone\n"
    ),
    "filled list": (
        "class C:\n    def __init__(self):\n        self.ts = []\n    def put(self):\n        t = make()\n"
        "        self.ts.append(t)\n    def g(self):\n        for t in self.ts:\n            t.gone\n"
    ),
    "handed": "def h(t):\n    return t.gone\ndef f():\n    return h(make())\n",
    "handed beside others": "def h(t, *more, n=1):\n    return t.gone\ndef f(*a, **k):\n    return h(make(), *a, **k)\n",
    "handed by name beside others": "def h(*, t, n=1):\n    return t.gone\ndef f(**k):\n    return h(t=make(), **k)\n",
    "handed by name": "def h(n, *, t=None):\n    return t.gone\ndef f(mine: Thing):\n    return h(1, t=mine)\n",
    "handed to a method": (
        "class C:\n    def h(self, t):\n        return t.gone\n    def f(self):\n        return self.h(make())\n"
    ),
    "handed to a static method": (
        "class C:\n    @staticmethod\n    def h(n, t):\n        return t.gone\n"
        "    def f(self):\n        return self.h(1, make())\n"
    ),
}
NOT_TOLD = {
    "handed behind others": "def h(n, t):\n    return t.gone\ndef f(*a):\n    return h(*a, make())\n",
    "handed among others": "def h(n, t):\n    return t.gone\ndef f(*a):\n    return h(1, *a, make())\n",
    "key of several": "def f(ts: list[Thing], os):\n    return max(ts, os, key=lambda t: t.gone)\n",
    "key of another function": "def f(ts: list[Thing]):\n    return mine(ts, key=lambda t: t.gone)\n",
    "second of filter": "def f(ts: list[Thing]):\n    return filter(None, lambda t: t.gone)\n",
    "key, other name": "def f(t: Thing, os: list[Other]):\n    return sorted(os, key=lambda t: t.gone)\n",
    "match as two": (
        "def f(t):\n    match t:\n        case Thing() as o:\n            return 1\n"
        "        case Unknown() as o:\n            return o.gone\n"
    ),
    "type is not": "def f(t):\n    if type(t) is not Thing:\n        return t.gone\n",
    "result Callable": "def f(m: Callable[[Thing], int]):\n    return m(1).gone\n",
    "queue size": "def f(q: Queue[Thing]):\n    return q.qsize().gone\n",
    "gather of two": (
        "import asyncio\nasync def m() -> Thing: ...\nasync def o() -> Other: ...\n"
        "async def f():\n    for t in await asyncio.gather(m(), o()):\n        t.gone\n"
    ),
    "own gather": "def gather(x): ...\ndef f():\n    for t in gather(make()):\n        t.gone\n",
    "two yields": "def m():\n    yield make()\n    yield Other()\ndef f():\n    for t in m():\n        t.gone\n",
    "yield from": "def m():\n    yield from q\n    yield make()\ndef f():\n    for t in m():\n        t.gone\n",
    "decorated": "@wrapped\ndef m():\n    return make(), 1\ndef f():\n    t, n = m()\n    return t.gone\n",
    "two tuples": (
        "def m(q):\n    if q:\n        return 1, make()\n    return make(), 1\n"
        "def f(q):\n    t, n = m(q)\n    return t.gone\n"
    ),
    "item slice": "class C:\n    def __getitem__(self, i) -> Thing: ...\ndef f(c: C):\n    return c[1:].gone\n",
    "filled with two": (
        "class C:\n    def __init__(self):\n        self.ts = []\n    def put(self, o):\n        self.ts.append(make())\n"
        "        self.ts.append(o)\n    def g(self):\n        for t in self.ts:\n            t.gone\n"
    ),
    "not begun empty": (
        "class C:\n    def __init__(self, ts):\n        self.ts = ts\n    def put(self):\n        self.ts.append(make())\n"
        "    def g(self):\n        for t in self.ts:\n            t.gone\n"
    ),
    "handed two": "def h(t):\n    return t.gone\ndef f(o):\n    h(o)\n    return h(make())\n",
    "handed and given anew": "def h(t):\n    t = t.inner\n    return t.gone\ndef f():\n    return h(make())\n",
    "handed to another": (
        "def h(t):\n    return t.gone\nclass C:\n    def h(self, t): ...\n    def f(self):\n        return self.h(make())\n"
    ),
    "handed with a star": "def h(n, t):\n    return t.gone\ndef f(ns):\n    return h(*ns, make())\n",
}


@pytest.mark.parametrize("body", TOLD.values(), ids=TOLD)
def test_a_class_that_is_seen(body: str) -> None:
    assert [row for row in compare(OLD, NEW, HEAD + body) if " breaks " in row]


@pytest.mark.parametrize("body", NOT_TOLD.values(), ids=NOT_TOLD)
def test_a_class_that_is_not_seen(body: str) -> None:
    assert not [row for row in compare(OLD, NEW, HEAD + body) if " breaks " in row]
