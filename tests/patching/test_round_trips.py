"""Properties of every rewrite, on generated sources: nothing is lost, nothing else is touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import Mirror, Rule, rules
from syncbot.patching.registry import rule as registered
from syncbot.patching.source import Source

from .rewrites.examples import EXAMPLES, NOISE, NOISE_LINES, PROGRAMS, TEXTS, parses, source


def forward(rule: Rule, text: str) -> str:
    try:
        return rule.forward(source(text))
    except (NoMatch, CannotRewrite):
        return text


def backward(rule: Rule, text: str) -> str:
    try:
        return rule.backward(source(text))
    except (NoMatch, CannotRewrite):
        return text


@pytest.mark.long
@given(PROGRAMS, st.sampled_from(EXAMPLES))
def test_forward_and_back_is_where_one_was(program: str, rule: Rule) -> None:
    there = forward(rule, program)
    assert parses(there)
    assert backward(rule, there) == program


@pytest.mark.long
@given(PROGRAMS, st.sampled_from(EXAMPLES))
def test_twice_is_once_and_the_mirror_undoes(program: str, rule: Rule) -> None:
    there = forward(rule, program)
    assert forward(rule, there) == there
    assert forward(rule.mirror(), there) == backward(rule, there)


@given(PROGRAMS, st.sampled_from(EXAMPLES))
def test_the_mirror_goes_the_other_way_and_back(program: str, rule: Rule) -> None:
    there, mirror = forward(rule, program), rule.mirror()
    assert forward(mirror, there) == program
    assert backward(mirror, program) == there


@given(PROGRAMS, st.sampled_from(EXAMPLES))
def test_lines_without_the_names_stay_byte_for_byte(program: str, rule: Rule) -> None:
    """Noise lines that are left are unchanged, and in the same order."""
    kept = [line for line in program.splitlines() if line in NOISE_LINES]
    assert [line for line in forward(rule, program).splitlines() if line in NOISE_LINES] == kept


def test_every_rule_has_examples_and_each_changes_a_program() -> None:
    assert {name for rule in EXAMPLES for name in (rule.name, rule.mirror().name)} == set(rules())
    for rule in EXAMPLES:
        assert any(forward(rule, text) != text for text in TEXTS), rule


@given(st.lists(NOISE, max_size=6).map("\n".join).filter(parses), st.sampled_from(EXAMPLES))
def test_a_symbol_that_is_not_there_changes_no_byte(program: str, rule: Rule) -> None:
    program = program.replace("up.", "down.")
    assert forward(rule, program) == program
    assert backward(rule, program) == program


def test_every_rule_says_what_upstream_did_and_has_a_name_of_its_file() -> None:
    for name, rule in rules().items():
        file = rule.__module__.rpartition(".")[2]
        assert file == name or rules()[file].twin is rule
        assert rule.__doc__
        assert rule.__doc__.strip()
        assert rule.reason.startswith("Upstream ")


def test_a_rule_without_a_mirror_is_refused() -> None:
    class Lone(Rule):
        """It does something."""

        def forward(self, source: Source) -> str:
            return source.text

        backward = forward

    with pytest.raises(TypeError, match=r"rule lone has no mirror: name one in @rule, or define mirror\(\)"):
        registered("lone")(Lone)
    assert "lone" not in rules()


def test_a_mirror_of_another_name_needs_a_backward() -> None:
    class OneWay(Rule):
        """It does something."""

        def forward(self, source: Source) -> str:
            return source.text

    other = Mirror("other_way", reason="Upstream did the opposite.", does="The opposite.")
    with pytest.raises(TypeError, match=r"rule one_way has a mirror of another name: define backward\(\)"):
        registered("one_way", mirror=other)(OneWay)
    assert {"one_way", "other_way"}.isdisjoint(rules())


def test_a_mirror_is_made_of_its_rule() -> None:
    there, back = rules()["add_method"], rules()["remove_method"]
    assert (there.twin, back.twin) == (back, there)
    assert back.__name__ == "RemoveMethod"
    assert back.reason == "Upstream no longer asks for a method or function of the backend."
    assert list(back.model_fields) == list(there.model_fields)
    assert rules()["import_moved"].twin is None
