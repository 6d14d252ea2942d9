"""Whether rewrites lead back to where they began, as those of a patch have to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import Rule
from syncbot.patching.source import Source
from syncbot.planning.rule_application import ordered


def leads_back(rules: Sequence[Rule], texts: Mapping[str, str]) -> bool:
    """Return whether rules, written into these files one after the other, can be undone letter by letter."""
    after = dict(texts)
    try:
        for rule in rules:
            after |= _written(rule, after, True)
        for rule in reversed(rules):
            after |= _written(rule, after, False)
    except CannotRewrite:
        return False
    return after == texts


def turned(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Return the rules that undo others, in the order in which they do."""
    return tuple(rule.mirror() for rule in reversed(ordered(dict.fromkeys(rules))))


def _written(rule: Rule, texts: Mapping[str, str], forward: bool) -> dict[str, str]:
    changed = {}
    for path, text in texts.items():
        if not rule.may_change(path, text, forward):
            continue
        source = Source(text, path)
        try:
            changed[path] = rule.forward(source) if forward else rule.backward(source)
        except NoMatch:
            continue
    return changed
