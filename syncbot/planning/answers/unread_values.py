"""Values that nobody reads, and that are made of what is gone: the statement that makes them is left out.
What it did beside the value, upstream's member did, which is not there; the rest only names things."""

from __future__ import annotations

import ast

from syncbot.contracts.changes import ChangeKind
from syncbot.impact.model import Impact, Location
from syncbot.patching.rewrites.add_statement import AddStatement
from syncbot.planning.answer_registry import Phase, answerer
from syncbot.planning.function_facts import names
from syncbot.planning.model import Answer, Reply, at_each_place
from syncbot.planning.planning_context import PlanningContext, Routine, SyntaxFile


@answerer(Phase.SUBSTITUTE)
def left_out(impact: Impact, context: PlanningContext) -> Reply:
    """Each function without the assignment to a variable that it never reads."""
    if impact.kind is not ChangeKind.ATTRIBUTE_REMOVED or impact.contract != "attribute":
        return None
    return at_each_place(impact, lambda place: _at(place, impact.details.subject, context))


def _at(place: Location, name: str, context: PlanningContext) -> Reply:
    node, syntax = context.attribute_at(place, name), context.syntax(place.file)
    around = list(syntax.around(node)) if syntax is not None and node is not None else []
    statement = next((n for n in around if isinstance(n, ast.stmt)), None)
    routine = next((n for n in around if isinstance(n, Routine)), None)
    if syntax is None or routine is None or not isinstance(statement, ast.Assign):
        return None
    value, target = statement.value, statement.targets[0]
    # The outermost of the value is the lost member, or the call of it.
    lost = value.func if isinstance(value, ast.Call) else value
    if lost is not node or len(statement.targets) != 1 or not isinstance(target, ast.Name):
        return None
    if [n.id for n in names(routine)].count(target.id) != 1 or statement not in routine.body:
        return None
    return _removed(statement, routine, place.file, syntax)


def _removed(statement: ast.stmt, routine: Routine, path: str, syntax: SyntaxFile) -> Reply:
    at = routine.body.index(statement)
    before = routine.body[at - 1] if at else None
    if before is None or before.end_lineno != statement.lineno - 1:
        return None
    within, code, anchor = syntax.within(statement), syntax.source(statement), syntax.source(before)
    added = AddStatement(file=path, within=within, code=code, position="after", anchor=anchor)
    return Answer((added.mirror(),))
