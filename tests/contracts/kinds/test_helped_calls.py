"""Calls of upstream functions that a helper of the backend makes, which is handed them."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "def f(x, gone=1): ...\nclass C:\n    def m(self, x, gone=1): ...\n"
NEW = "def f(x): ...\nclass C:\n    def m(self, x): ...\n"
HEAD = "import asyncio, functools\nfrom lib.a import C, f\n\n\n"
PLAIN = "def call(fn, *args, **kw):\n    return fn(*args, **kw)\n"
GONE = "def run(c: C, more):\n    call(f, 1, gone=2)\n"


def _said(helper: str, use: str) -> list[str]:
    return [row.split(" breaks ")[0] for row in compare(OLD, NEW, HEAD + helper + use) if " breaks " in row]


@pytest.mark.parametrize(
    "helper",
    [
        pytest.param(PLAIN, id="plain"),
        pytest.param(
            "async def call(fn, *a, **k):\n    return await asyncio.to_thread(fn, *a, **k)\n", id="later"
        ),
        pytest.param(
            "def call(fn, *args, tries=3, **kw):\n"
            "    for i in range(tries):\n"
            "        try:\n            return fn(*args, **kw)\n"
            "        except Exception:\n            if i == tries:\n                raise\n",
            id="retry that raises in the end",
        ),
        pytest.param(
            "def call(fn, *a, **k):\n    return later(functools.partial(fn, *a, **k))\n", id="partial"
        ),
        pytest.param("def call(fn, *args, **kw):\n    return guard(lambda: fn(*args, **kw))\n", id="inside"),
    ],
)
def test_what_a_helper_hands_on_has_to_bind(helper: str) -> None:
    assert _said(helper, GONE) == ["parameter-removed lib.a.f"]


@pytest.mark.parametrize(
    ("use", "symbol"),
    [
        ("def run(c: C):\n    call(c.m, 1, gone=2)\n", "C.m"),
        ("def run():\n    call(f, 1, 2)\n", "f"),
        ("def run():\n    args = (1, 2)\n    call(f, *args)\n", "f"),
        ("def run():\n    call(fn=f, x=1, gone=2)\n", "f"),
        (
            "class Own:\n    def call(self, fn, *args, **kw):\n        return fn(*args, **kw)\n"
            "    def run(self):\n        self.call(f, 1, gone=2)\n",
            "f",
        ),
    ],
)
def test_whatever_is_handed(use: str, symbol: str) -> None:
    assert _said(PLAIN, use) == [f"parameter-removed lib.a.{symbol}"]


@pytest.mark.parametrize(
    "helper",
    [
        "def call(fn, *args, gone=1, **kw):\n    return fn(*args, **kw)\n",
        "def call(fn, *args, **kw):\n    kw.pop('gone')\n    return fn(*args, **kw)\n",
        "def call(fn, *args, **kw):\n    kw = fit(fn, kw)\n    return fn(*args, **kw)\n",
        "def call(fn, *args, **kw):\n    clean(kw)\n    return fn(*args, **kw)\n",
        "def call(fn, *args, **kw):\n    return fn(*args)\n",
        "def call(fn, *args, **kw):\n    if fn is f:\n        return 0\n    return fn(*args, **kw)\n",
        "def call(fn, *args, **kw):\n    try:\n        return fn(*args, **kw)\n    except Exception:\n        log()\n",
        "def call(fn, *args, **kw):\n    if args:\n        return fn(*args)\n    return fn(*args, **kw)\n",
        "def call(fn, *args, **kw):\n    fn = wrap(fn)\n    return fn(*args, **kw)\n",
        "def call(fn, *args, **kw):\n    return inspect.signature(fn).bind(*args) and fn(*args, **kw)\n",
        "def call(fn, *args, **kw):\n    return wrap(fn, *args, **kw)\n",
        "def call(fn, *args, **kw):\n    if version_is('1.0'):\n        return fn(*args, **kw)\n",
        "@fitting\ndef call(fn, *args, **kw):\n    return fn(*args, **kw)\n",
        "def call(fn, *args, **kw):\n    def inner(*args, **kw):\n        return fn(*args, **kw)\n    return inner\n",
    ],
)
def test_a_helper_that_may_do_otherwise_is_not_told(helper: str) -> None:
    assert _said(helper, GONE) == []


@pytest.mark.parametrize(
    "line", ["call(f, 1)", "call(f, *more)", "call(f, 1, **more)", "call(own, 1, gone=2)"]
)
def test_what_fits_or_is_not_seen(line: str) -> None:
    assert _said(f"{PLAIN}def own(*a, **k): ...\n", f"def run(more):\n    {line}\n") == []
