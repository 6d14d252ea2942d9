"""Attributes that are asked for by a name in quotes, in dictionaries of objects and by getters."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
from dataclasses import dataclass
@dataclass
class Part:
    gone: int = 2
@dataclass
class Cfg:
    part: Part
    x: int = 1
    gone: int = 2
    def method(self): ...
class Plain:
    size = 1
    def __init__(self):
        self.gone = 1
"""
NEW = (
    OLD.replace("    gone: int = 2\n", "    y: int = 2\n")
    .replace("    def method(self): ...\n", "")
    .replace("    size = 1\n", "")
    .replace("self.gone", "self.y")
)
HEAD = "import dataclasses\nfrom operator import attrgetter\nfrom lib.a import Cfg, Plain\n\n\n"
RUN = "def run(c: Cfg, p: Plain, cs: list[Cfg]):\n"


@pytest.mark.parametrize(
    ("line", "symbol"),
    [
        ("vars(c)['gone']", "Cfg"),
        ("c.__dict__['gone']", "Cfg"),
        ("p.__dict__['gone']", "Plain"),
        ("dataclasses.asdict(c)['gone']", "Cfg"),
        ("attrgetter('gone')(c)", "Cfg"),
        ("attrgetter('x', 'gone')(c)", "Cfg"),
        ("attrgetter('part.gone')(c)", "Part"),
        ("sorted(cs, key=attrgetter('gone'))", "Cfg"),
        ("list(map(attrgetter('gone'), cs))", "Cfg"),
        ("cs.sort(key=attrgetter('gone'))", "Cfg"),
        ("d = dataclasses.asdict(c); print(d['x'], d['gone'])", "Cfg"),
    ],
)
def test_an_attribute_that_is_gone(line: str, symbol: str) -> None:
    assert compare(OLD, NEW, f"{HEAD}{RUN}    {line}\n") == [
        f"attribute-removed lib.a.{symbol}.gone breaks 7 gone"
    ]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("vars(p)['size']", id="never in the dictionary of an object"),
        pytest.param("vars(c)['method']", id="nor a method"),
        pytest.param("dataclasses.asdict(c)['x']", id="still there"),
        pytest.param("vars(c).get('gone')", id="may be missing"),
        pytest.param("vars(c)['gone'] = 1", id="set"),
        pytest.param("d = vars(c); d.update(gone=1); d['gone']", id="set before"),
        pytest.param("d = vars(c); fill(d); d['gone']", id="handed on before"),
        pytest.param("if 'gone' in vars(c): vars(c)['gone']", id="asked"),
        pytest.param("d = {}; d['gone']", id="another dictionary"),
        pytest.param("attrgetter(name)(c)", id="any name"),
        pytest.param("attrgetter('gone')(other)", id="any object"),
    ],
)
def test_what_may_be_there(line: str) -> None:
    assert compare(OLD, NEW, f"{HEAD}{RUN}    {line}\n") == []


def test_a_key_error_that_is_caught() -> None:
    body = "    try:\n        return vars(c)['gone']\n    except KeyError:\n        return 0\n"
    assert compare(OLD, NEW, HEAD + RUN + body) == ["attribute-removed lib.a.Cfg.gone at-risk 8 gone"]
