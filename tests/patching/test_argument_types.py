"""Arguments that are no arguments: refused when they are read, and never written into a file."""

from __future__ import annotations

import ast
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from syncbot.errors import ConfigurationError
from syncbot.patching import argument_types, model
from syncbot.patching.apply import Direction, Step, apply_steps
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import Rule, rules

from .rewrites.examples import EXAMPLES, TEXTS, WHOLE, source


@cache
def right() -> dict[str, tuple[dict[str, Any], str]]:
    """For every rule the example with the most arguments, and a program that it changes."""
    found: dict[str, tuple[dict[str, Any], str]] = {}
    for rule in EXAMPLES:
        program = next(text for text in (WHOLE, *TEXTS) if changes(rule, text))
        for each in (rule, rule.mirror()):
            arguments = each.model_dump(mode="json", exclude_defaults=True)
            if each.name not in found or len(arguments) > len(found[each.name][0]):
                found[each.name] = (arguments, program)
    return found


def changes(rule: Rule, text: str) -> bool:
    try:
        return rule.forward(source(text)) != text
    except (NoMatch, CannotRewrite):
        return False


#: The names of all rules with examples, and of their mirrors.
NAMED = sorted({each.name for rule in EXAMPLES for each in (rule, rule.mirror())})

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
    assert sorted(right()) == NAMED == sorted(rules())
    for name, (arguments, program) in right().items():
        changed = 0
        for direction in Direction:
            try:
                apply_steps({"a.py": program}, [Step(patch(name, arguments), direction)])
                changed += 1
            except NoMatch:
                continue
        assert changed, name


@pytest.mark.long
@pytest.mark.parametrize("rule", NAMED)
def test_bad_text_in_any_argument_is_refused_or_harmless(rule: str) -> None:
    """Each argument with each bad text: no other error than the ones with a line of their own, and what is
    written is Python."""
    arguments, program = right()[rule]
    for at in places(arguments):
        for bad in BAD:
            held(rule, spoilt(arguments, at, bad), program)


@given(st.data())
def test_any_text_in_any_argument_is_refused_or_harmless(data: st.DataObject) -> None:
    rule = data.draw(st.sampled_from(NAMED))
    arguments, program = right()[rule]
    at = data.draw(st.sampled_from(places(arguments)))
    text = data.draw(st.text(max_size=8) | st.text("ab.=(),:'\"\\#* \n1", max_size=8))
    held(rule, spoilt(arguments, at, text), program)


def held(rule: str, arguments: dict[str, Any], program: str) -> None:
    try:
        spoiled = patch(rule, arguments)
    except ValidationError:
        return
    for direction in Direction:
        try:
            after = apply_steps({"a.py": program}, [Step(spoiled, direction)])["a.py"]
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
        ("call_argument_added", ["value"], "1, 2", "value: '1, 2' cannot be one of several arguments"),
        ("call_argument_added", ["value"], "1 # x", "value: '1 # x' cannot be one of several arguments"),
        ("call_replaced", ["added", 0, 1], "=", "added[0][1]: '=' is not one Python expression"),
        ("override_parameters_reordered", ["new", 0], "a b", "new[0]: 'a b' is not a Python name"),
        ("add_statement", ["anchor"], "", "anchor: it is empty"),
        ("remove_statement", ["file"], "/a.py", "file: '/a.py' is not a path relative to the backend's"),
        ("string_renamed", ["new"], "a\nb", "new: 'a\\nb' has to fit between quotes as it is"),
    ],
)
def test_a_mistake_names_file_rule_and_argument(rule: str, at: list[Any], bad: str, says: str) -> None:
    document = {
        "id": "p", "upstream": {"name": "up", "first_version": "1.0"}, "symbol": "up.m", "reason": "r",
        "rewrites": [{"rule": rule, "arguments": spoilt(right()[rule][0], at, bad)}],
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
    """Two rewrites of arguments, each right by itself, that fail together."""
    twice = patch(
        "override_parameter_renamed", {"base": "up.m.Thing", "method": "run", "old": "flag", "new": "n"}
    )
    with pytest.raises(CannotRewrite, match="already") as caught:
        apply_steps({"a.py": WHOLE}, [Step(twice, Direction.FORWARD)])
    assert "patch p, rule override_parameter_renamed (forward)" in str(caught.value)
