"""Calls that are made anew where they raise a TypeError."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told
from tests.contracts.world import compare as lib

OLD = "def serve(app, engine, **options): ...\n"
NEW = "def serve(app, **options): ...\n"
PLUGIN = """
from engine.core import serve

def run(app, engine, options):
    try:
        done = serve(app, engine, **options)
    except {caught}:
        {handled}
    return done
"""


@pytest.mark.parametrize(
    ("caught", "handled", "verdict"),
    [
        ("TypeError", "done = serve(app, **options)", "at-risk"),
        ("(TypeError, ValueError)", "done = serve(app)", "at-risk"),
        ("Exception", "done = serve(app)", "at-risk"),
        ("TypeError", "done = serve(app, None, True)", "breaks"),
        ("TypeError", "done = None", "breaks"),
        ("TypeError", "done = start(app)", "breaks"),
        ("ValueError", "done = serve(app)", "breaks"),
    ],
)
def test_another_call_in_the_handler(caught: str, handled: str, verdict: str) -> None:
    """The first call does not fit any more; it is only a loss where the second one does not fit either."""
    rows = told(OLD, NEW, PLUGIN.format(caught=caught, handled=handled))
    assert f"parameter-removed core.serve {verdict} 5" in rows


def test_the_call_in_the_handler_is_not_needed() -> None:
    """The fallback for an older upstream may no longer fit, while the call before it fits."""
    plugin = PLUGIN.format(caught="TypeError", handled="done = serve(app, loop=None)")
    old = "def serve(app, engine=None, *, loop=0): ...\n"
    new = "def serve(app, engine=None): ...\n"
    plugin = plugin.replace(", **options)", ")")
    assert told(old, new, plugin) == ["parameter-removed core.serve at-risk 7"]
    assert told(old, new, plugin.replace("TypeError", "Exception")) == [
        "parameter-removed core.serve breaks 7"
    ]


def test_a_function_in_the_try_runs_later() -> None:
    """The handler does not catch what a function raises that is only made there."""
    plugin = """
        from engine.core import serve
        try:
            def run(app, engine):
                serve(app, engine)
        except TypeError:
            serve(app)
        """
    assert told(OLD, NEW, plugin) == ["parameter-removed core.serve breaks 4"]


CHOOSING = """
from lib.a import Base

class Mine(Base):
    def __init__(self, config, more=None):
        if {}:
            super().__init__(config)
        else:
            super().__init__({})
"""
MADE = "class Base:\n    def __init__(self, config): ...\n"


@pytest.mark.parametrize(
    ("test", "other", "verdicts"),
    [
        ("more is None", "config, more", ["at-risk"]),
        ("not more", "config, more", ["at-risk"]),
        ("more is None", "config, None, 3", ["breaks"]),
        ("flag()", "config, more", ["breaks"]),
        ("config.wide", "config, more", ["breaks"]),
    ],
)
def test_a_parameter_decides_which_of_two_calls_runs(test: str, other: str, verdicts: list[str]) -> None:
    """Whoever calls decides. A call that fits nothing in the other arm is no help, and no other test is."""
    found = lib(MADE, MADE.replace("config)", "config, more)"), CHOOSING.format(test, other))
    assert [line.split()[2] for line in found if line.split()[3] == "6"] == verdicts
