"""Where an override hands on what it newly takes: to the calls that upstream's own method hands it to."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.every_node import every_node
from syncbot.api.signatures import Signature, constructor
from syncbot.impact.model import Location
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.call_changed import CallChanged
from syncbot.planning.argument_values import Surroundings
from syncbot.planning.call_arguments import arguments, hides, written
from syncbot.planning.function_facts import parameters
from syncbot.planning.planning_context import PlanningContext, last_signature
from syncbot.planning.syntax_file import Routine


def to_other_calls(context: PlanningContext, place: Location, parameter: str) -> tuple[Rule, ...]:
    """The calls of the override at a place that have to pass a parameter on: upstream's method passes it to
    the same call, and what ours calls has an optional parameter for it. Calls of the base are left out."""
    found = context.overridden_at(place)
    if found is None:
        return ()
    routine = found[0]
    around = Surroundings(context, place.file, routine.body[0])
    if around.new is None:
        return ()
    rules = []
    for theirs in _calls(around.new.node):
        name = ast.unparse(theirs.func)
        ours = [call for call in _calls(routine) if ast.unparse(call.func) == name]
        same = [call for call in _calls(around.new.node) if ast.unparse(call.func) == name]
        signature = _signature(context, around, theirs.func)
        if len(ours) == len(same) == 1 and signature is not None and not hides(ours[0]):
            after = _with(ours[0], theirs, signature, parameter)
            if after is not None:
                before = ast.unparse(ours[0])
                rules.append(CallChanged(file=place.file, within=around.within, before=before, after=after))
    return tuple(rules)


def _with(ours: ast.Call, theirs: ast.Call, signature: Signature, parameter: str) -> str | None:
    """Our call with the argument that upstream passes the parameter by; None where it has none of it."""
    shown, bound = arguments(theirs, signature), arguments(ours, signature)
    if shown is None or bound is None:
        return None
    names = [n for n, value in shown.items() if isinstance(value, ast.Name) and value.id == parameter]
    place = signature.get(names[0]) if len(names) == 1 and names[0] not in bound else None
    if place is None or place.required:
        # What is required is a break of its own, and answered with it.
        return None
    values = {name: ast.unparse(value) for name, value in bound.items()}
    return written(ours, signature, signature, {**values, place.name: parameter})


def _signature(context: PlanningContext, around: Surroundings, called: ast.expr) -> Signature | None:
    """Return the signature of an upstream callee where ours is the same one; None where it is not."""
    universe = context.pair.new
    match called:
        case ast.Attribute(value=ast.Name(id=receiver), attr=name):
            first = parameters(around.routine)[:1] if around.routine is not None else []
            member = universe.member(around.own, name) if around.own is not None else None
            if [receiver] != first or member is None or not member.functions:
                return None
            return last_signature(member.functions, True)
        case ast.Name(id=name):
            mine = universe.local(context.module(around.path), name)
            theirs = universe.local(around.new.module, name) if around.new is not None else None
            if mine is None or theirs is None or mine.name != theirs.name:
                return None
            if mine.kind == "class":
                made = constructor(universe, mine)
                return made[0][0] if made is not None and len(made[0]) == 1 else None
            return last_signature(mine.functions, False) if mine.functions else None
    return None


def _calls(routine: Routine) -> Iterator[ast.Call]:
    return (node for node in every_node(routine) if isinstance(node, ast.Call))
