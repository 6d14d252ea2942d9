"""Methods that give nothing any more: what upstream's own callers read of the object in place of the result.
Where each of them turned ``x = self.make(…)`` and what reads ``x`` into ``self.make(…)`` and one attribute of
the object, ours does the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.every_node import children, every_node
from syncbot.contracts.changes import ChangeKind
from syncbot.impact.model import Impact, Location
from syncbot.patching.rewrites.replace_statement import ReplaceStatement
from syncbot.planning.answer_registry import Phase, answerer
from syncbot.planning.changed_functions import changed_in_range
from syncbot.planning.function_facts import binding, names, with_names
from syncbot.planning.model import Answer, Author, Reply, at_each_place
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine


@answerer(Phase.UPSTREAM_USERS)
def read_behind(impact: Impact, context: PlanningContext) -> Reply:
    """The call alone, and the attribute that upstream's callers read behind it."""
    if impact.kind is not ChangeKind.RETURN_SHAPE_CHANGED or impact.contract != "call":
        return None
    method = impact.symbol.rpartition(".")[2]
    read = {text for *_, old, new in changed_in_range(context, f".{method}(")
            for text in _read_instead(method, old, new)}  # fmt: skip
    attribute = read.pop() if len(read) == 1 else ""
    if not attribute:
        return Author(f"upstream's own callers do not show what to read in place of {method}()")
    return at_each_place(impact, lambda place: _at(place, method, attribute, context))


def _at(place: Location, method: str, attribute: str, context: PlanningContext) -> Reply:
    for statement in context.nodes(place.file):
        if not isinstance(statement, ast.Assign) or statement.lineno != place.line:
            continue
        syntax, made = context.syntax(place.file), _made(statement, method)
        own = context.own_class(place.file, statement)
        if syntax is None or made is None or own is None:
            break
        if context.pair.new.member(own, attribute) is None:
            break
        return Answer((
            ReplaceStatement(
                file=place.file, within=syntax.within(statement), before=syntax.source(statement),
                after=f"{ast.unparse(statement.value)}\n{made} = self.{attribute}",
            ),
        ))  # fmt: skip
    return Author(f"the result of {method}() is used otherwise here than by upstream")


def _made(statement: ast.AST, method: str) -> str | None:
    """The variable that a statement sets to the result of a method of the own object."""
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(func=ast.Attribute(value=ast.Name("self"), attr=called)),
        ) if called == method:
            return name
    return None


def _read_instead(method: str, old: Routine, new: Routine) -> Iterator[str]:
    """The attribute that a function reads now wherever it read the result; an empty text where there is no
    such one."""
    now = {ast.unparse(n) for n in every_node(new) if isinstance(n, ast.stmt)}
    for statement in every_node(old):
        name = _made(statement, method)
        if name is None or not isinstance(statement, ast.Assign) or binding(new, name):
            continue
        if ast.unparse(statement.value) not in now:
            continue
        reading = [s for s in every_node(old) if isinstance(s, ast.stmt) and s is not old and _reads(s, name)]
        fits = [
            attribute for attribute in _attributes(new)
            if all(with_names(s, {name: f"self.{attribute}"}) in now for s in reading)
        ]  # fmt: skip
        if reading:
            yield fits[0] if len(fits) == 1 else ""


def _reads(statement: ast.stmt, name: str) -> bool:
    """Whether a statement, but for those within it, reads a variable."""
    parts = [n for n in children(statement) if not isinstance(n, ast.stmt | ast.excepthandler)]
    return any(n.id == name and isinstance(n.ctx, ast.Load) for part in parts for n in names(part))


def _attributes(routine: Routine) -> set[str]:
    """The attributes of the own object that a function reads."""
    return {
        n.attr for n in every_node(routine)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == "self"
    }  # fmt: skip
