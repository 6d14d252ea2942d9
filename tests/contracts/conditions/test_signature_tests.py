"""Code under a test for a parameter of an upstream function."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
from dataclasses import dataclass
def start(app, config, state): ...
class Engine:
    def run(self, inputs, *, late=0): ...
class Options:
    def __init__(self, size): ...
@dataclass
class Box:
    a: int
"""
NEW = """
from dataclasses import dataclass
def start(app, state): ...
class Engine:
    def run(self, prompt): ...
class Options:
    def __init__(self, wide): ...
@dataclass
class Box:
    b: int
"""
PLUGIN = """
import inspect
from inspect import signature
from lib.a import Box, Engine, Options, start

NAMES = set(inspect.signature(start).parameters)

def takes(function, name):
    found = signature(function)
    return name in found.parameters

HAS = "config" in inspect.signature(start).parameters

def has_state():
    'Whether upstream takes one.'
    return "state" in inspect.signature(start).parameters

def has_config():
    return "config" in inspect.signature(start).parameters

def other(function, name):
    return name in ("config", function)

def go(app, config, state, engine: Engine, more):
    from lib.a import start as begin
    found = inspect.signature(start)
    held = dict(signature(begin).parameters).keys()
    twice = signature(start)
    twice = more
    if {test}:
        start(app, config, state)
    else:
        start(app, state)
"""


@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        ("'config' in inspect.signature(start).parameters", "at-risk"),
        ("'config' in signature(start).parameters.keys()", "at-risk"),
        ("more and 'config' in found.parameters", "at-risk"),
        ("'config' in held", "at-risk"),
        ("'config' in NAMES", "at-risk"),
        ("not 'config' not in found.parameters", "at-risk"),
        ("takes(start, 'config')", "at-risk"),
        ("takes(engine.run, 'inputs')", "at-risk"),
        ("takes(Options, 'size')", "at-risk"),
        ("'prompt' not in signature(engine.run).parameters", "at-risk"),
        ("len(found.parameters) == 3", "at-risk"),
        ("len(signature(start).parameters) > 2", "at-risk"),
        ("not len(found.parameters) < 3", "at-risk"),
        ("len(signature(Engine.run).parameters) != 2", "at-risk"),
        ("len(signature(engine.run).parameters) == 2", "at-risk"),
        ("len(signature(Options).parameters) == 2", "at-risk"),
        ("HAS", "at-risk"),
        ("HAS and more", "at-risk"),
        ("has_config()", "at-risk"),
        ("'a' in Box.__dataclass_fields__", "at-risk"),
        ("'b' not in Box.__dataclass_fields__", "at-risk"),
        ("'b' in Box.__dataclass_fields__", "breaks"),
        ("'a' in more.__dataclass_fields__", "breaks"),
        ("not HAS", "breaks"),
        ("has_state()", "breaks"),
        ("has_more()", "breaks"),
        ("len(found.parameters) == 2", "breaks"),
        ("len(found.parameters) >= 2", "breaks"),
        ("len(more) == 3", "breaks"),
        ("len(found.parameters) == more", "breaks"),
        ("len(signature(Engine.run).parameters) == 2", "breaks"),
        ("len(signature(engine.run).parameters) == 1", "breaks"),
        ("len(signature(Options).parameters) == 1", "breaks"),
        ("'state' in found.parameters", "breaks"),
        ("'config' not in found.parameters", "breaks"),
        ("more or 'config' in found.parameters", "breaks"),
        ("'config' in twice.parameters", "breaks"),
        ("'config' in signature(more).parameters", "breaks"),
        ("'config' in more", "breaks"),
        ("other(start, 'config')", "breaks"),
        ("takes(more, 'config')", "breaks"),
        ("takes(engine.run, 'prompt')", "breaks"),
    ],
)
def test_a_call_that_no_longer_fits(test: str, verdict: str) -> None:
    """Who asks first what is taken does not make the call that fails."""
    rows = compare(OLD, NEW, PLUGIN.format(test=test))
    assert [row for row in rows if ".start " in row] == [f"parameter-removed lib.a.start {verdict} 30 2"]


def test_a_method_of_an_attribute() -> None:
    """As a server asks what its engine takes."""
    plugin = """
        import inspect
        from lib.a import Engine, start

        class Server:
            def __init__(self, engine: Engine):
                self.engine: Engine = engine

            def go(self, app, config, state):
                if "inputs" in inspect.signature(self.engine.run).parameters:
                    start(app, config, state)
        """
    assert compare(OLD, NEW, plugin) == ["parameter-removed lib.a.start at-risk 10 2"]
