"""Attributes that a constructor which the backend does not call now sets, and that upstream reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.every_node import children, every_node
from syncbot.contracts.changes import ChangeKind
from syncbot.impact.model import Impact, Location
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.add_statement import AddStatement
from syncbot.patching.rewrites.function_parameter_added import FunctionParameterAdded
from syncbot.planning.answer_registry import Phase, place_answerer
from syncbot.planning.answers.copied_statements import block_with
from syncbot.planning.argument_values import Surroundings
from syncbot.planning.function_facts import only_value, parameters
from syncbot.planning.model import Answer, Author, Reply
from syncbot.planning.planning_context import PlanningContext, UpstreamFunction
from syncbot.planning.syntax_file import Routine


@place_answerer(Phase.DEFINITION, (ChangeKind.ATTRIBUTE_ADDED,), "skipped-init")
def set_here_too(impact: Impact, place: Location, context: PlanningContext) -> Reply:
    """The backend's constructor sets the attribute as upstream's does, where the value means the same."""
    routine = context.routine_at(place)
    if routine is None or not routine.body or any(isinstance(n, ast.Return) for n in _own(routine)):
        return Author("the constructor cannot be found, or has a return statement")
    around = Surroundings(context, place.file, routine.body[0])
    upstream = context.overridden(around.own, "__init__", new=True) if around.own is not None else None
    statement = only_value(upstream.node, impact.details.subject) if upstream is not None else None
    if upstream is None or statement is None:
        return Author("upstream sets it in several places, or on one branch only")
    if not _is_plain(statement):
        copied = _with_what_it_replaced(statement, around)
        if copied is None:
            made = _shown(statement)
            return Author(f"upstream sets it to {made}, and nothing shows what shares that object here")
        return copied
    value = around.means_the_same(statement, upstream)
    if value is None or value.statements or value.imports:
        return Author(f"{_shown(statement)} may mean something else here")
    first = routine.args.args[0].arg
    code = f"{first}.{impact.details.subject} = {value.text}"
    rules: list[Rule] = [AddStatement(file=place.file, within=around.within, code=code)]
    for need in value.needs:
        taken = _taken(context, place.file, around.within, routine, upstream, need.name)
        rules += (taken,) if taken is not None else ()
    return Answer(tuple(rules), value.needs)


def _shown(value: ast.expr) -> str:
    text = ast.unparse(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _with_what_it_replaced(value: ast.expr, around: Surroundings) -> Answer | None:
    """The statement with its neighbours, where upstream put them in the place of some that ours has too: what
    they make is then made once and shared as it is there."""
    for node in every_node(around.new.node) if around.new is not None else ():
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is value:
            return block_with(node, around)
    return None


def _taken(
    context: PlanningContext, path: str, within: str, ours: Routine, theirs: UpstreamFunction, name: str
) -> Rule | None:
    """The new optional parameter of upstream's constructor, behind the last one of ours, where ours lets it
    through to others by ``**``: they were never given it, as upstream's own constructor takes it itself."""
    before = context.method(theirs.owner.name, "__init__", new=False) if theirs.owner is not None else None
    if before is None or ours.args.kwarg is None or name in parameters(ours) or ours.args.vararg is not None:
        return None
    new = {a.arg: d for a, d in _defaults(theirs.node)}
    mine = [a.arg for a in (*ours.args.posonlyargs, *ours.args.args)]
    earlier = [n for n in new if n in mine]
    default = new.get(name)
    if name in parameters(before.node) or not isinstance(default, ast.Constant):
        return None
    if not earlier or mine[-1] != earlier[-1] or list(new).index(name) < list(new).index(earlier[-1]):
        return None
    return FunctionParameterAdded(
        file=path, function=within, parameter=name, default=ast.unparse(default), after=mine[-1]
    )


def _defaults(routine: Routine) -> list[tuple[ast.arg, ast.expr | None]]:
    """The positional parameters of a function with their defaults."""
    every = [*routine.args.posonlyargs, *routine.args.args]
    lacking: list[ast.expr | None] = [None] * (len(every) - len(routine.args.defaults))
    return list(zip(every, [*lacking, *routine.args.defaults], strict=True))


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, without those of the functions and classes in it."""
    for child in children(node):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield from _own(child)


def _is_plain(expression: ast.expr) -> bool:
    """Whether an expression only names what is there, or is a constant: no call, nothing made anew."""
    plain = (ast.Constant, ast.Name, ast.Attribute, ast.expr_context, ast.UnaryOp, ast.unaryop,
             ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop, ast.IfExp)  # fmt: skip
    return all(isinstance(node, plain) for node in every_node(expression))
