"""Abstract methods that a class of the backend lacks: a stub that raises and names the upstream change."""

from __future__ import annotations

import ast
import copy

from syncbot.api.every_node import every_node
from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.impact.model import Impact
from syncbot.patching.rewrites.abstract_method_added import AbstractMethodAdded
from syncbot.planning.answer_registry import Phase, answerer
from syncbot.planning.model import Answer, Author, Reply
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine

_DECORATORS = ("property", "classmethod", "staticmethod")


@answerer(Phase.DEFINITION)
def stubbed(impact: Impact, context: PlanningContext) -> Reply:
    """The class can be made again; the method raises what upstream changed, and an author writes it."""
    details = impact.details
    if impact.kind is not ChangeKind.ABSTRACT_METHOD_ADDED or not isinstance(details, MemberDetails):
        return None
    symbol = context.pair.now(impact.symbol)
    function = symbol.functions[-1] if symbol is not None and symbol.functions else None
    node = context.upstream_node(context.pair.new, symbol.module, function) if symbol and function else None
    if node is None:
        return Author("upstream's own definition of the method cannot be seen")
    decorators = [ast.unparse(d) for d in node.decorator_list]
    decorator = next((d for d in decorators if d in _DECORATORS), None)
    lacking: set[str] = set()
    for place in impact.locations:
        classes = [
            c for c in context.nodes(place.file)
            if isinstance(c, ast.ClassDef) and c.lineno <= place.line <= c.body[0].lineno
        ]  # fmt: skip
        if not classes:
            return Author("the class cannot be found")
        lacking.add(f"{context.module(place.file)}.{max(classes, key=lambda c: c.lineno).name}")
    # One rule for all of them: a class whose base gets the stub needs none.
    rule = AbstractMethodAdded(
        base=details.base or impact.symbol.rpartition(".")[0],
        classes=tuple(sorted(lacking)),
        method=details.name,
        parameters=_parameters(node),
        decorator=decorator,
        message=f"{impact.symbol} is abstract"
        + (f" since upstream's {impact.commit[:10]}" if impact.commit else ""),
    )
    return Answer((rule,))


def _parameters(node: Routine) -> str:
    """The parameters as source text: without annotations, whose names may mean nothing here, and with
    ``None`` for defaults that are more than a constant."""
    arguments = copy.deepcopy(node.args)
    for argument in every_node(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    arguments.defaults = [_constant(d) for d in arguments.defaults]
    arguments.kw_defaults = [None if d is None else _constant(d) for d in arguments.kw_defaults]
    return ast.unparse(arguments)


def _constant(default: ast.expr) -> ast.expr:
    return default if isinstance(default, ast.Constant) else ast.Constant(None)
