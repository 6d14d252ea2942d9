"""Calls: what a changed signature or result means for the line that calls."""

from __future__ import annotations

from tests.contracts.world import engine, findings

CALL = "from engine.core import f\n\nf(1, b=2)\n"


TAKEN = "from warn import renamed\n@renamed('b', to='c')\ndef f(a, c=0): ...\n"


def test_a_keyword_that_only_a_decorator_took_is_refused_without_it() -> None:
    bare = TAKEN.replace("@renamed('b', to='c')\n", "")
    (found,) = findings(engine(TAKEN), engine(bare), {"plugin/use.py": CALL})
    assert found.kind == "parameter-renamed"
    assert found.verdict == "breaks"
    assert found.reason == "engine.core.f() no longer takes b; it takes c instead"


def test_too_many_arguments_are_told_with_what_is_gone() -> None:
    old = "def run(x, mode, size): ...\n"
    plugin = {"plugin/use.py": "from engine.core import run\nrun(1, 2, 3)\n"}
    for new, said in (
        ("x, mode", ": size is gone"),
        ("x", ": mode, size are gone"),
        ("x, mode, *, size=0", ": size can be passed by name only"),
        ("x, *, mode=0", ": size is gone"),
    ):
        found = findings(engine(old), engine(old.replace("x, mode, size", new)), plugin)
        told_of = [f.reason for f in found if " at most " in f.reason]
        assert [reason.partition(" positional arguments")[2] for reason in told_of] == [said]
