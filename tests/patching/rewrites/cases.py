"""Shared by the tests of rewrites: the text before, the text after, and texts that stay as they are."""

from __future__ import annotations

import difflib
import textwrap

import pytest

from syncbot.patching.errors import NoMatch
from syncbot.patching.registry import Rule
from syncbot.patching.source import Source


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


def same(found: str, wanted: str, what: str) -> None:
    """Fail with a difference of the lines where two texts are not the same."""
    if found != wanted:
        lines = difflib.unified_diff(
            wanted.splitlines(keepends=True), found.splitlines(keepends=True), "wanted", what
        )
        pytest.fail(f"{what} gives another text:\n{''.join(lines)}", pytrace=False)


def forward_only(rule: Rule, before: str, after: str) -> None:
    before, after = text(before), text(after)
    assert rule.may_change("<source>", before, forward=True) or not rule.concerns("<source>")
    same(rule.forward(Source(before)), after, "forward")
    compile(after, "<after>", "exec")


def both_ways(rule: Rule, before: str, after: str) -> None:
    """Forward gives after, backward gives before, the mirror does the same, and twice is once."""
    forward_only(rule, before, after)
    before, after = text(before), text(after)
    assert rule.may_change("<source>", after, forward=False) or not rule.concerns("<source>")
    same(rule.backward(Source(after)), before, "backward")
    same(rule.mirror().forward(Source(after)), before, "forward of the mirror")
    assert rule.mirror().mirror() == rule
    unchanged(rule, after, forward=True)
    unchanged(rule, before, forward=False)


def unchanged(rule: Rule, code: str, *, forward: bool) -> None:
    source = Source(text(code))
    direction = rule.forward if forward else rule.backward
    with pytest.raises(NoMatch):
        direction(source)


def never(rule: Rule, code: str) -> None:
    """Nothing in the text is what the rule is about, in neither direction."""
    unchanged(rule, code, forward=True)
    unchanged(rule, code, forward=False)
