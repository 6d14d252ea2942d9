"""Values that nobody reads, and that are made of what is gone: the statement that makes them is left out.
What it did beside the value, upstream's member did, which is not there; the rest only names things."""

from __future__ import annotations

import ast

from syncbot.contracts.changes import ChangeKind
from syncbot.impact.model import Impact, Location
from syncbot.planning.accompanying_statements import without_statement
from syncbot.planning.answer_registry import Phase, place_answerer
from syncbot.planning.function_facts import names
from syncbot.planning.model import Answer, Reply
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine


@place_answerer(Phase.SUBSTITUTE, (ChangeKind.ATTRIBUTE_REMOVED,), "attribute")
def left_out(impact: Impact, place: Location, context: PlanningContext) -> Reply:
    """Each function without the assignment to a variable that it never reads."""
    node, syntax = context.attribute_at(place, impact.details.subject), context.syntax(place.file)
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
    taken = without_statement(statement, routine.body, place.file, syntax)
    return Answer((taken,)) if taken is not None else None
