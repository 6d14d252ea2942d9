"""Calls found in texts."""

from __future__ import annotations

import pytest

from syncbot.api.signatures import Arguments
from syncbot.typecheck.upstream_callers import Caller, Callers

TEXT = b"""
class Driver:
    @property
    def speed(self):
        return 1

    def drive(self, tool):
        def inner():
            pass
        tool.run(1, (2, 3),
                 y=")")
        super().run(1)
        self.tools[0].run(*inner())

def run(x):
    return x

run(
    1, **{}  # )
)
rerun(1)
x = "run(" \\
"""


def test_the_calls_of_a_name_each_with_what_is_around_it() -> None:
    found = Callers(lambda: {"lib.a": TEXT, "lib.b": b"def run(): pass\n"}).of("run")
    assert found == (
        Caller("lib.a", "Driver.drive", "tool", Arguments(2, ("y",))),
        Caller("lib.a", "Driver.drive", "?", Arguments(0, (), True)),
        Caller("lib.a", "", "", Arguments(1, (), False, True)),
    )


@pytest.mark.parametrize(
    "text", [b"run(", b"run(1 2)", b"# run(now\n", b"class run(Base): pass\n", b"def run(a): pass\n"]
)
def test_what_is_no_call(text: bytes) -> None:
    assert Callers(lambda: {"lib.a": text}).of("run") == ()


def test_the_scope_of_a_call_at_the_top_level() -> None:
    assert Callers(lambda: {"m": b"def f():\n    pass\n\nf()\n"}).of("f") == (
        Caller("m", "", "", Arguments(0, ())),
    )
