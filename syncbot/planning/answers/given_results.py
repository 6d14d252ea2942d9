"""Overrides that gave nothing, and of which upstream wants a result now: what its own overrides give."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.every_node import every_node
from syncbot.contracts.changes import ChangeKind
from syncbot.impact.model import Impact, Location
from syncbot.patching.rewrites.add_statement import AddStatement
from syncbot.planning.answer_registry import Phase, place_answerer
from syncbot.planning.argument_values import Surroundings
from syncbot.planning.changed_functions import changed_functions
from syncbot.planning.model import Answer, Author, Reply
from syncbot.planning.planning_context import PlanningContext, UpstreamFunction
from syncbot.planning.syntax_file import Routine


@place_answerer(Phase.SHAPE, (ChangeKind.RETURN_SHAPE_CHANGED,), "override")
def given_now(impact: Impact, place: Location, context: PlanningContext) -> Reply:
    """The one statement that the guilty commit put at the end of every method of that name, at the end of
    ours."""
    routine = context.routine_at(place)
    if routine is None or any(isinstance(n, ast.Return | ast.Yield) for n in every_node(routine)):
        return Author("the override returns something already")
    around = Surroundings(context, place.file, routine.body[0])
    found = list(_results(impact, routine.name, context))
    values = {ast.unparse(value) for value, _ in found}
    value = around.means_the_same(*found[0]) if len(values) == 1 else None
    if value is None or value.statements or value.imports:
        return Author("upstream's own overrides do not show what to return")
    rule = AddStatement(file=place.file, within=around.within, code=f"return {value.text}")
    return Answer((rule,), value.needs)


def _results(
    impact: Impact, name: str, context: PlanningContext
) -> Iterator[tuple[ast.expr, UpstreamFunction]]:
    """Yield the results that methods of a name return at their end since the guilty commit."""
    ends = context.guilty(impact)
    for module, qualname, before, after in changed_functions(context, impact, f"def {name}("):
        if ends is None or after.name != name or _returns(before):
            continue
        last = after.body[-1]
        if isinstance(last, ast.Return) and last.value is not None and _returns(after) == [last]:
            owner = ends[1].resolve(f"{module}.{qualname.rpartition('.')[0]}")
            yield last.value, UpstreamFunction(module, owner, after)


def _returns(routine: Routine) -> list[ast.Return]:
    return [n for n in every_node(routine) if isinstance(n, ast.Return)]
