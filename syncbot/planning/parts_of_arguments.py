"""Finds the part of an argument that upstream takes no more, where it wants that part alone now: ``f(whole)``
becomes ``f(whole.part)``. Upstream's own function shows which part it is: it kept what it read of the whole
by the name of the new parameter, or where it keeps the parameter now."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from syncbot.api.expressions import dotted
from syncbot.planning.function_facts import binding, bound_times, parameters
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine


def part_of(
    context: PlanningContext,
    symbol: str,
    name: str,
    bound: Mapping[str, ast.expr],
    lost: Collection[str],
) -> str | None:
    """The part of a lost argument of a call that a new parameter ``name`` takes; None where upstream's
    function does not show it, or where reading the argument twice may not be the same."""
    before, after = (context.called(symbol, new=new) for new in (False, True))
    if before is None or after is None or name in parameters(before):
        return None
    for whole in lost:
        given = dotted(bound[whole]) if whole in bound else None
        part = _kept_part(before, after, whole, name) if given is not None else None
        if part is not None:
            return f"{given}.{part}"
    return None


def _kept_part(before: Routine, after: Routine, whole: str, name: str) -> str | None:
    """The attributes of ``whole`` that the function kept before as it keeps the parameter ``name`` now."""
    if whole not in parameters(before) or bound_times(before, whole) or whole in parameters(after):
        return None
    read = {}
    for target, value in _assignments(before).items():
        text = dotted(value) if value is not None else None
        if text is not None and text.startswith(f"{whole}."):
            read[target] = text.removeprefix(f"{whole}.")
    if name in read and len(binding(before, name)) == 1:
        return read[name]
    now = _assignments(after)
    same = {
        part for target, part in read.items()
        if "." in target and isinstance(value := now.get(target), ast.Name) and value.id == name
    }  # fmt: skip
    return same.pop() if len(same) == 1 and not bound_times(after, name) else None


def _assignments(routine: Routine) -> dict[str, ast.expr | None]:
    """Target → value of the assignments that each call of a function makes, None where there are several."""
    found: dict[str, ast.expr | None] = {}
    for node in routine.body:
        match node:
            case ast.Assign(targets=targets, value=value):
                made = [text for target in targets if (text := dotted(target)) is not None]
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                made = [text for text in [dotted(target)] if text is not None]
            case _:
                continue
        for text in made:
            found[text] = None if text in found else value
    return found
