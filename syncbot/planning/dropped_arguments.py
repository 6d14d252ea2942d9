"""Finds the parameter that upstream's own callers pass instead of one that the guilty commit removed."""

from __future__ import annotations

import ast

from syncbot.api.signatures import Signature
from syncbot.impact.model import Impact
from syncbot.planning.call_arguments import arguments
from syncbot.planning.changed_functions import changed_functions
from syncbot.planning.function_facts import calls_of
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine


def renamed_by_all(
    context: PlanningContext, impact: Impact, called: str, name: str, old: Signature, new: Signature
) -> str | None:
    """The parameter that every function of upstream which passed an argument passes now and did not before,
    at least two of them with the very same expression; None where there is none, or several."""
    everywhere: set[str] | None = None
    alike: list[str] = []
    for _, _, before, after in changed_functions(context, impact, f"{called}("):
        if not (calls_of(before, {called}) and calls_of(after, {called})):
            continue
        was, now = (_bound(r, called, s) for r, s in ((before, old), (after, new)))
        if was is None or now is None:
            return None
        if name in was:
            fresh = {p: ast.dump(value) for p, value in now.items() if p not in was}
            everywhere = set(fresh) if everywhere is None else everywhere & fresh.keys()
            alike += [p for p, text in fresh.items() if text == ast.dump(was[name])]
    found = [p for p in everywhere or () if alike.count(p) > 1]
    return found[0] if found and {*alike} == {*found} and len(found) == 1 else None


def _bound(routine: Routine, called: str, signature: Signature) -> dict[str, ast.expr] | None:
    """The arguments of the one call in a function; None where there are several, or stars hide them."""
    calls = calls_of(routine, {called})
    return arguments(calls[0], signature) if len(calls) == 1 else None
