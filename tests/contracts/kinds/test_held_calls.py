"""Calls of what tables of the backend hold, or defaults of parameters."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
def f(x, gone=1): ...
def kept(x, gone=1): ...
class A:
    gone = 1
    def __init__(self, x=1, gone=2): ...
class B:
    gone = 1
    def __init__(self, x=1, gone=2): ...
class Kept:
    gone = 1
"""
NEW = """
def f(x): ...
def kept(x, gone=1): ...
class A:
    def __init__(self, x=1): ...
class B:
    def __init__(self, x=1): ...
class Kept:
    gone = 1
"""
HEAD = "from lib import a\nfrom lib.a import A, B, Kept, f, kept\n"


def _told(*lines: str) -> list[str]:
    rows = compare(OLD, NEW, HEAD + "\n".join(lines) + "\n")
    return [" ".join(row.split()[1:3]).removeprefix("lib.a.") for row in rows]


RUN = "def run(k, xs):"
OF_OWN = "class Own:"


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["T = {'a': f, 'b': kept}", RUN, "    T['a'](1, gone=2)"], ["f breaks"]),
        (["T = {'a': f}", RUN, "    T[k](1, gone=2)"], ["f breaks"]),
        (["T = {'a': f, 'b': kept}", RUN, "    T[k](1, gone=2)"], ["f at-risk"]),
        (["T = {'a': a.f}", RUN, "    h = T.get(k)", "    h(1, gone=2)"], ["f at-risk"]),
        (["T = [f, kept]", RUN, "    T[0](1, gone=2)"], ["f breaks"]),
        (["T = [f, kept]", RUN, "    for h in T:", "        h(1, gone=2)"], ["f breaks"]),
        (["T = {'a': f}", RUN, "    for n, h in T.items():", "        h(1, gone=2)"], ["f breaks"]),
        (["T = [('a', f)]", RUN, "    for n, h in T:", "        h(1, gone=2)"], ["f breaks"]),
        ([RUN, "    for h in (f, kept):", "        h(1, gone=2)"], ["f breaks"]),
        ([RUN, "    {'a': f, 'b': kept}[k](1, gone=2)"], ["f at-risk"]),
        ([RUN, "    h = {'a': A, 'b': kept}[k]", "    h(1, gone=2)"], ["A.__init__ at-risk"]),
        (
            ["T = [f]", RUN, "    for h in T:", "        if h is k:", "            h(1, gone=2)"],
            ["f at-risk"],
        ),
        (
            ["T = [f]", RUN, "    for h in T:", "        if k: continue", "        h(1, gone=2)"],
            ["f at-risk"],
        ),
        ([OF_OWN, "    T = {'a': f}", "    def run(self):", "        self.T['a'](1, gone=2)"], ["f breaks"]),
        (
            [
                *(OF_OWN, "    def __init__(self):", "        self.t = {'a': f}"),
                *("    def run(self):", "        self.t['a'](1, gone=2)"),
            ],
            ["f breaks"],
        ),
        (["def run(h=f):", "    h(1, gone=2)"], ["f at-risk"]),
        (["def run(*, h=f):", "    h(1, gone=2)"], ["f at-risk"]),
        (["T = {'a': A, 'b': A}", RUN, "    T[k]().gone"], ["A.gone breaks"]),
        (["T = {'a': A, 'b': B}", RUN, "    T[k]().gone"], ["A.gone breaks", "B.gone breaks"]),
        (["T = {'a': A, 'b': B}", RUN, "    x = T[k]()", "    x.gone"], ["A.gone breaks", "B.gone breaks"]),
        (["T = {'a': A, 'b': Kept}", RUN, "    T[k]().gone"], ["A.gone at-risk"]),
    ],
)
def test_what_is_held_is_called(lines: list[str], told: list[str]) -> None:
    assert _told(*lines) == told


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(["T = {'a': f, 'b': kept}", RUN, "    T['b'](1, gone=2)"], id="another one"),
        pytest.param(["T = {'a': f}", "T['a'] = wrap(f)", RUN, "    T['a'](1, gone=2)"], id="set anew"),
        pytest.param(["T = {'a': f}", "T.update(more)", RUN, "    T['a'](1, gone=2)"], id="filled"),
        pytest.param(["T = {'a': f}", "fill(T)", RUN, "    T['a'](1, gone=2)"], id="handed on"),
        pytest.param(["T = {'a': f}", "def run(T):", "    T['a'](1, gone=2)"], id="a parameter"),
        pytest.param(["T = {'a': wrap(f)}", RUN, "    T['a'](1, gone=2)"], id="wrapped"),
        pytest.param(["T = [f]", RUN, "    T[:1](1, gone=2)"], id="a slice"),
        pytest.param(["T = {'a': f}", RUN, "    for h in T:", "        h(1, gone=2)"], id="keys"),
        pytest.param(["T = {'a': f}", RUN, "    T['a'](1)"], id="fits"),
        pytest.param(["T = {'a': A, 'b': make}", RUN, "    T[k]().gone"], id="something else made"),
        pytest.param(["def run(h=f):", "    h = wrap(h)", "    h(1, gone=2)"], id="bound anew"),
        pytest.param(["def run(h=None):", "    h(1, gone=2)"], id="another default"),
    ],
)
def test_what_is_not_known_to_be_held(lines: list[str]) -> None:
    assert _told(*lines) == []
