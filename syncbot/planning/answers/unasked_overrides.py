"""Overrides of methods that upstream does not have: what it does in their place is for an author to see."""

from __future__ import annotations

import ast

from syncbot.api.every_node import every_node
from syncbot.contracts.changes import ChangeKind
from syncbot.impact.model import Impact
from syncbot.planning.answer_registry import Phase, answerer
from syncbot.planning.changed_functions import changed_in_range
from syncbot.planning.model import Author, Reply
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine


@answerer(Phase.KEPT)
def not_asked(impact: Impact, context: PlanningContext) -> Reply:
    """Where upstream called the method, and does something else or nothing now."""
    if impact.kind is not ChangeKind.METHOD_REMOVED or impact.contract != "override":
        return None
    name = impact.details.subject
    asked = [
        f"{module}.{qualname}" for module, qualname, old, new in changed_in_range(context, f".{name}(")
        if _calls(old, name) and not _calls(new, name)
    ]  # fmt: skip
    there = (
        f"what {' and '.join(asked[:2])} does instead" if asked else "which other way leads to what it does"
    )
    return Author(f"nothing calls {name}() there: see {there}")


def _calls(routine: Routine, name: str) -> bool:
    called = (n.func for n in every_node(routine) if isinstance(n, ast.Call))
    return any(isinstance(f, ast.Attribute) and f.attr == name for f in called)
