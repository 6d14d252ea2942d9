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


FIELDS = "from dataclasses import dataclass\n@dataclass\nclass T:\n    gone: int\n    kept: int\n    def run(self): ...\n"
FEWER = FIELDS.replace("    gone: int\n", "").replace("run", "go")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("T.__dataclass_fields__['gone']", "gone"),
        ("T.model_fields['gone']", "gone"),
        ("delattr(T, 'run')", "run"),
        ("operator.methodcaller('run')(t)", "run"),
        ("operator.methodcaller('run', 'kept')(t)", "run"),
    ],
)
def test_names_that_are_given_as_texts(line: str, name: str) -> None:
    own = f"import operator\nfrom lib.a import T\ndef g(t: T):\n    {line}\n"
    assert f"attribute-removed lib.a.T.{name} breaks 4 {name}" in compare(FIELDS, FEWER, own)
    assert compare(FIELDS, FEWER, own.replace("'gone'", "'kept'").replace("'run'", "'kept'")) == []


def test_a_field_that_the_code_asks_for() -> None:
    body = "if 'gone' in T.model_fields:\n        return T.model_fields['gone']"
    told = compare(FIELDS, FEWER, f"from lib.a import T\ndef g():\n    {body}\n")
    assert [row.split()[2] for row in told] == ["at-risk"]
