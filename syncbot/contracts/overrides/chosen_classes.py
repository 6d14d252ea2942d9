"""Constructors that upstream calls by a variable, which holds the class that it chose."""

from __future__ import annotations

from syncbot.api.model import Call
from syncbot.contracts.calls.variable_calls import FEWEST
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.overrides.changed_function import ChangedFunction


def chosen_calls(change: ChangedFunction, pair: Comparison, *, old: bool) -> list[tuple[str, Call]]:
    """The calls of a local variable that pass by place just what the constructor took, and after the change
    just what it takes now."""
    counts = len(change.old.positional), len(change.new.positional)
    if change.made_as is None or min(counts) < FEWEST or change.old.has("*") or change.new.has("*"):
        return []
    before, after = pair.calls_of_variables
    was = {(m, c.scope, c.callee) for m, c in before if c.positional == counts[0]}
    now = {(m, c.scope, c.callee) for m, c in after if c.positional == counts[1]}
    side, count = (before, counts[0]) if old else (after, counts[1])
    found = [(m, c) for m, c in side if c.positional == count and (m, c.scope, c.callee) in was & now]
    (pair.old_tree if old else pair.new_tree).note([module for module, _ in found])
    return found
