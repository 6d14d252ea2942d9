"""Arguments that are no arguments: refused when they are read, and never written into a file."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from syncbot.errors import ConfigurationError
from syncbot.patching import argument_types, model
from syncbot.patching.apply import Direction, apply_patches
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import rules

#: Arguments of every rule with which it changes SOURCE in one direction at least.
RIGHT: dict[str, dict[str, Any]] = {
    "abstract_method_added": {"base": "up.m.Thing", "method": "late", "message": "abstract now"},
    "add_method": {"file": "a.py", "within": "Mine", "code": "def new(self):\n    return 1", "after": "run"},
    "add_statement": {"file": "a.py", "within": "g", "code": "y = 1", "position": "after", "anchor": "x = 1"},
    "attribute_renamed": {"base": "up.m.Thing", "old": "size", "new": "length", "receivers": ["other"]},
    "attribute_replaced": {"base": "up.m.Thing", "before": "size", "after": "spec.size"},
    "base_changed": {"old": "up.m.Thing", "new": "up.n.Base"},
    "call_argument_added": {"callee": "up.m.make", "argument": "extra", "value": "None", "position": 3},
    "call_argument_renamed": {"callee": "up.m.make", "old": "a", "new": "b"},
    "call_arguments_by_keyword": {"callee": "up.m.make", "position": 0, "arguments": ["first"]},
    "call_changed": {"file": "a.py", "within": "g", "before": "make(1, a=2)", "after": "make(1)"},
    "call_replaced": {"old": "up.m.make", "new": "up.n.build", "renamed": [["a", "b"]], "added": [["c", "0"]]},
    "decorator_changed": {"old": "up.m.mark", "new": "up.n.mark"},
    "function_parameter_added": {"file": "a.py", "function": "g", "parameter": "extra", "default": "0"},
    "import_moved": {"old": "up.m.Thing", "new": "up.n.Thing"},
    "member_moved": {"old": "up.m.Limits", "new": "up.n.Bounds", "members": ["TOP"]},
    "monkey_patch_moved": {"old": "up.m.hook", "new": "up.n.hook"},
    "override_default_changed": {
        "base": "up.m.Thing", "method": "run", "parameter": "flag", "old": "None", "new": "0",
    },
    "override_parameter_added": {
        "base": "up.m.Thing", "method": "run", "parameter": "extra", "default": "0", "annotation": "int",
        "after": "self",
    },
    "override_parameter_renamed": {"base": "up.m.Thing", "method": "run", "old": "flag", "new": "mark"},
    "override_parameters_reordered": {
        "base": "up.m.Thing", "method": "run", "old": ["n", "k", "flag"], "new": ["k", "n", "flag"],
    },
    "override_result_reshaped": {
        "base": "up.m.Thing", "method": "run", "old": ["a", "b"], "new": ["a", "b", "c"], "value": "None",
    },
    "property_to_method": {"base": "up.m.Thing", "attribute": "size"},
    "replace_statement": {"file": "a.py", "within": "g", "before": "x = 1", "after": "x = 2"},
    "result_reshaped": {"callee": "up.m.make", "old": ["a", "b"], "new": ["a", "b", "c"]},
    "statement_guarded": {"file": "a.py", "within": "g", "code": "x = 1", "condition": "t.spec"},
    "string_renamed": {"old": "up.m.Thing", "new": "up.n.Thing"},
    "symbol_renamed": {"symbol": "up.m.Thing", "new_name": "Renamed"},
}  # fmt: skip
MIRRORED = {
    "abstract_method_removed": "abstract_method_added",
    "call_argument_removed": "call_argument_added",
    "call_arguments_by_place": "call_arguments_by_keyword",
    "function_parameter_removed": "function_parameter_added",
    "method_to_property": "property_to_method",
    "override_parameter_removed": "override_parameter_added",
    "remove_method": "add_method",
    "remove_statement": "add_statement",
    "statement_unguarded": "statement_guarded",
}
RIGHT |= {name: RIGHT[other] for name, other in MIRRORED.items()}

SOURCE = """\
import up.m as m
from up.m import Thing, make, mark

PLACE = "up.m.Thing"
m.hook = print


@mark
class Mine(Thing):
    def run(self, n, k, flag=None):
        return self.size, 1


def g(t: Thing, other):
    x = 1
    a, b = make(1)
    make(1, a=2)
    return t.size, other.size, m.Limits.TOP, t.size(), PLACE
"""

BAD = (
    "", " ", ".", "..", "a..b", "a.", ".a", "1", "1 +", "class", "a.class.b", "None", "a b", "a-b", "a\nb",
    "a\n", "x # y", "1, 2", "*a", "**a", "a=1", ")", "(", "'", '"', "\\", "a'b", "\n", "\t", "\x00", "é.",
    "a, b=1", "yield", "lambda", "a): pass\nclass X(b", "x := 1", "..pkg", "/a.py", "../a.py", "(" * 300,
    "-" * 20000 + "1", "if x:", "pass\npass", "\ud800",
)  # fmt: skip


def patch(rule: str, arguments: dict[str, Any]) -> model.Patch:
    change = model.UpstreamChange(name="up", first_version="1.0")
    rewrite = model.Rewrite(rule=rule, arguments=arguments)
    rewrite.build()
    return model.Patch(id="p", upstream=change, symbol="up", reason="r", rewrites=(rewrite,))


def spoilt(arguments: dict[str, Any], at: list[Any], bad: str) -> dict[str, Any]:
    """The arguments with a bad text at one place of them."""

    def put(value: Any, path: list[Any]) -> Any:
        if not path:
            return bad
        if isinstance(value, dict):
            return value | {path[0]: put(value[path[0]], path[1:])}
        return [put(v, path[1:]) if i == path[0] else v for i, v in enumerate(value)]

    changed = put(arguments, at)
    assert isinstance(changed, dict)
    return changed


def places(value: Any) -> list[list[Any]]:
    """Where texts stand in arguments."""
    if isinstance(value, str):
        return [[]]
    if not isinstance(value, dict | list):
        return []
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    return [[key, *rest] for key, inner in entries for rest in places(inner)]


def test_the_right_arguments_of_every_rule_change_the_source() -> None:
    assert sorted(RIGHT) == sorted(rules())
    for name, arguments in RIGHT.items():
        changed = 0
        for direction in Direction:
            try:
                apply_patches({"a.py": SOURCE}, [patch(name, arguments)], direction)
                changed += 1
            except NoMatch:
                continue
        assert changed, name


@pytest.mark.parametrize("rule", sorted(RIGHT))
def test_bad_text_in_any_argument_is_refused_or_harmless(rule: str) -> None:
    """Each argument with each bad text: no other error than the ones with a line of their own, and what is
    written is Python."""
    for at in places(RIGHT[rule]):
        for bad in BAD:
            held(rule, spoilt(RIGHT[rule], at, bad))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_text_in_any_argument_is_refused_or_harmless(data: st.DataObject) -> None:
    rule = data.draw(st.sampled_from(sorted(RIGHT)))
    at = data.draw(st.sampled_from(places(RIGHT[rule])))
    text = data.draw(st.text(max_size=8) | st.text("ab.=(),:'\"\\#* \n1", max_size=8))
    held(rule, spoilt(RIGHT[rule], at, text))


def held(rule: str, arguments: dict[str, Any]) -> None:
    try:
        spoiled = patch(rule, arguments)
    except ValidationError:
        return
    for direction in Direction:
        try:
            after = apply_patches({"a.py": SOURCE}, [spoiled], direction)["a.py"]
        except (NoMatch, CannotRewrite):
            continue
        ast.parse(after)


@pytest.mark.parametrize(
    ("rule", "at", "bad", "says"),
    [
        ("import_moved", ["old"], "up.old..", "old: 'up.old..' is not a dotted name such as"),
        ("import_moved", ["new"], "up.class", "new: 'up.class' is not a dotted name such as"),
        ("symbol_renamed", ["symbol"], "Thing", "symbol: 'Thing' says no module"),
        ("override_parameter_added", ["parameter"], "class", "parameter: 'class' is not a Python name"),
        ("override_parameter_added", ["default"], "1 +", "default: '1 +' is not one Python expression"),
        ("call_argument_added", ["value"], "1, 2", "value: '1, 2' cannot stand beside other arguments"),
        ("call_argument_added", ["value"], "1 # x", "value: '1 # x' cannot stand beside other arguments"),
        ("call_replaced", ["added", 0, 1], "=", "added[0][1]: '=' is not one Python expression"),
        ("override_parameters_reordered", ["new", 0], "a b", "new[0]: 'a b' is not a Python name"),
        ("add_statement", ["anchor"], "", "anchor: it is empty"),
        ("remove_statement", ["file"], "/a.py", "file: '/a.py' is not a path relative to the backend's"),
        ("string_renamed", ["new"], "a\nb", "new: 'a\\nb' has to stand in quotes as it is"),
    ],
)
def test_a_mistake_names_file_rule_and_argument(rule: str, at: list[Any], bad: str, says: str) -> None:
    document = {
        "id": "p", "upstream": {"name": "up", "first_version": "1.0"}, "symbol": "up.m", "reason": "r",
        "rewrites": [{"rule": rule, "arguments": spoilt(RIGHT[rule], at, bad)}],
    }  # fmt: skip
    with pytest.raises(ConfigurationError) as caught:
        model.parse(model.yaml_documents.to_yaml(document), "patches/p.yaml")
    assert str(caught.value).startswith(f"patches/p.yaml: rewrites[0].arguments of {rule}: {says}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["None", "0", "(1, 2)", "a.b(c, d=1)", "lambda x: x", "x if y else z", "not x", "{'a': [1]}", "..."],
)
def test_what_is_an_expression_is_taken_as_it_stands(text: str) -> None:
    assert TypeAdapter(argument_types.Expression).validate_python(f" {text}\n") == text


def test_a_text_that_would_no_longer_be_python_is_not_written() -> None:
    """What two arguments that are right by themselves do together."""
    twice = patch("override_parameter_renamed", RIGHT["override_parameter_renamed"] | {"new": "n"})
    with pytest.raises(CannotRewrite, match="already") as caught:
        apply_patches({"a.py": SOURCE}, [twice], Direction.FORWARD)
    assert "patch p, rule override_parameter_renamed (forward)" in str(caught.value)
