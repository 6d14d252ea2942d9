"""Methods that upstream calls the way it calls a sibling, as the configuration says."""

from __future__ import annotations

import pytest

from syncbot.contracts.configured_facts import Knowledge, SiblingRule
from tests.contracts.compare import told
from tests.contracts.world import compare as lib

RULE = Knowledge(siblings=(SiblingRule("engine.core.Op", "forward_oot", ("forward_native",)),))
OLD = "class Op: ...\nclass Norm(Op):\n    def forward_native(self, x): ...\n"
MINE = "from engine.core import Norm\nclass Mine(Norm):\n    def forward_oot(self, x): ...\n"


def _with(parameters: str, call: str = "") -> str:
    return OLD.replace("(self, x)", f"({parameters})") + (f"def go(op):\n    {call}\n" if call else "")


@pytest.mark.parametrize(
    ("old", "new", "plugin", "expected"),
    [
        pytest.param(OLD, _with("self, x, y"), MINE,
                     ["sibling-parameter-added core.Norm.forward_native breaks 3"], id="required added"),
        pytest.param(OLD, _with("self, x, y=None"), MINE,
                     ["sibling-parameter-added core.Norm.forward_native at-risk 3"], id="optional added"),
        pytest.param(OLD, _with("self, x, y=None", "op(1, y=2)"), MINE,
                     ["sibling-parameter-added core.Norm.forward_native breaks 3"], id="optional and passed"),
        pytest.param(_with("self, x, y"), OLD, MINE.replace("x)", "x, y)"),
                     ["sibling-parameter-removed core.Norm.forward_native breaks 3"], id="removed"),
        pytest.param(_with("self, x, y"), _with("self, x, z", "op(1, z=2)"), MINE.replace("x)", "x, y, **more)"),
                     ["sibling-parameter-removed core.Norm.forward_native breaks 3"], id="another, passed by name"),
    ],
)  # fmt: skip
def test_siblings_that_changed(old: str, new: str, plugin: str, expected: list[str]) -> None:
    assert told(old, new, plugin, RULE) == expected
    assert told(old, new, plugin) == []


@pytest.mark.parametrize(
    ("old", "new", "plugin"),
    [
        pytest.param(OLD, OLD + "x = 1\n", MINE, id="same"),
        pytest.param(OLD, _with("self, x, y"), MINE.replace("x)", "x, y=0)"), id="taken already"),
        pytest.param(OLD, _with("self, x, y"), MINE.replace("x)", "x, **more)"), id="takes anything"),
        pytest.param(_with("self, x, y"), OLD, MINE.replace("x)", "x, y=0)"), id="optional here"),
        pytest.param(_with("self, x"), _with("self, z"), MINE, id="renamed"),
        pytest.param(_with("self, x, y"), _with("self, x, z", "op(1, 2)"), MINE.replace("x)", "x, y, **more)"),
                     id="another, passed by place"),
        pytest.param(OLD.replace("(Op)", ""), _with("self, x, y").replace("(Op)", ""), MINE,
                     id="not of that family"),
        pytest.param(OLD, _with("self, x, y"), MINE.replace("forward_oot", "forward"), id="another method"),
        pytest.param(OLD.replace("native", "cuda"), _with("self, x, y").replace("native", "cuda"), MINE,
                     id="a method it does not follow"),
    ],
)  # fmt: skip
def test_siblings_that_did_not(old: str, new: str, plugin: str) -> None:
    assert [line for line in told(old, new, plugin, RULE) if line.startswith("sibling")] == []


def test_a_renamed_parameter_counts_where_it_is_passed_by_name() -> None:
    found = told(_with("self, x"), _with("self, z", "op(z=1)"), MINE, RULE)
    assert found == ["sibling-parameter-added core.Norm.forward_native breaks 3"]


CHOOSES = (
    "class Op:\n    def forward(self, *args, **kwargs):\n        return self.choose()(*args, **kwargs)\n"
    "    def native(self, *args, **kwargs):\n        raise NotImplementedError\n"
    "    def fast(self, *args, **kwargs):\n        raise NotImplementedError\n"
    "    def ours(self, *args, **kwargs):\n        return self.native(*args, **kwargs)\n"
    "    def choose(self):\n        if plain():\n            return self.wrapped(self.native)\n"
    "        elif outside():\n            return self.ours\n        return self.fast\n"
)
METHOD = CHOOSES + "class Method(Op):\n    def fast(self, x): ...\n"
LONGER = CHOOSES + "class Method(Op):\n    def fast(self, x, y): ...\n"


def test_a_method_is_called_as_those_that_upstream_chooses_otherwise() -> None:
    plugin = "from lib.a import Method\nclass Mine(Method):\n    def ours(self, x): ...\n"
    assert lib(METHOD, LONGER, plugin) == ["sibling-parameter-added lib.a.Method.fast breaks 3 y"]


@pytest.mark.parametrize(
    ("change", "plugin"),
    [
        (("", ""), "class Mine(Method):\n    def ours(self, x, y): ...\n"),
        (("", ""), "class Mine(Method):\n    def ours(self, *args, **kwargs): ...\n"),
        (("", ""), "class Mine(Method):\n    def other(self, x): ...\n"),
        (("return self.ours", "return self.ours()"), "class Mine(Method):\n    def ours(self, x): ...\n"),
        (("return self.ours", "return other.ours"), "class Mine(Method):\n    def ours(self, x): ...\n"),
        (("def choose(self):", "def choose(other):"), "class Mine(Method):\n    def ours(self, x): ...\n"),
    ],
)
def test_a_method_that_nothing_chooses_or_that_takes_the_same(change: tuple[str, str], plugin: str) -> None:
    old, new = METHOD.replace(*change), LONGER.replace(*change)
    assert lib(old, new, f"from lib.a import Method\n{plugin}") == []


def test_what_the_configuration_says_of_a_method_counts_instead() -> None:
    rule = SiblingRule(base="lib.a.Op", method="ours", follows=("native",))
    plugin = "from lib.a import Method\nclass Mine(Method):\n    def ours(self, x): ...\n"
    assert lib(METHOD, LONGER, plugin, Knowledge(siblings=(rule,))) == []


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("def f(self, x): ...\n", ["sibling-parameter-added lib.a.Method.fast breaks 3 y"]),
        ("def f(self, x, y): ...\n", []),
        ("def f(self, x, **more): ...\n", []),
    ],
)
def test_a_function_that_is_put_there_as_well(own: str, expected: list[str]) -> None:
    plugin = f"from lib.a import Method\n{own}Method.ours = f\n"
    found = [row for row in lib(METHOD, LONGER, plugin) if row.startswith("sibling")]
    assert found == expected
    assert [row for row in lib(METHOD, LONGER, plugin.replace("ours", "other")) if "sibling" in row] == []
