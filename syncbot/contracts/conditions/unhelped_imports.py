"""Imports whose error is caught, in code that then fails for want of what they would have given."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from syncbot.api.every_node import children, every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.statement_parts import imported
from syncbot.api.tree import ModuleTree
from syncbot.contracts.conditions.absent_names import (
    ERROR,
    UNBOUND,
    Absent,
    all_fail,
    function_around,
    parents_in,
)
from syncbot.contracts.conditions.tried_imports import tried_around
from syncbot.contracts.model import Place

# Calls that only say what happened.
_SAYING = {"print", "warn", "debug", "info", "warning", "error", "exception", "critical", "log",
           "warning_once", "info_once"}  # fmt: skip


def leaves_a_gap(place: Place, tree: ast.Module | None, own: ModuleTree) -> bool:
    """Whether the handlers around an import put None or False in its place, or nothing, and all that asks for
    it in the module or function around raises then."""
    around = tried_around(place, tree)
    if tree is None or len(around) != 1:
        return False
    tried, handlers = around[0]
    parents = parents_in(tree)
    scope: ast.AST = function_around(tried, parents) or tree
    absent = _absent(scope, tried, handlers, place.location.line)
    if absent is None or (scope is tree and _is_asked_for_elsewhere(place.module, absent, own)):
        return False
    return all_fail(scope, tried, absent, parents)


def _absent(
    scope: ast.AST, tried: ast.Try, handlers: Sequence[ast.ExceptHandler], line: int
) -> Absent | None:
    """Return what the names that a ``try`` gives from a line on are without it, None where its handlers do
    more than to say so, or set what is read elsewhere."""
    before = dict(_constants(scope, tried))
    lost = [s for s in (*tried.body, *tried.orelse) if (s.end_lineno or s.lineno) >= line]
    absent: dict[str, bool | str | None] = {
        name: before.get(name, UNBOUND) for statement in lost for name in _bound(statement)
    }
    others = set[str]()
    statements = [statement for handler in handlers for statement in handler.body]
    for statement in statements:
        match statement:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=ast.Call(func=func)) if (dotted(func) or "").rpartition(".")[2] in _SAYING:
                pass
            case ast.If(body=body, orelse=orelse, test=test) if not _calls(test):
                statements += [*body, *orelse]
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if told := _told(value, handlers):
                absent[name] = told[0]
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if told := _told(
                value, handlers
            ):
                absent[name] = told[0]
            case ast.Import() | ast.ImportFrom() | ast.Assign(targets=[ast.Name()]) if not _calls(statement):
                others |= {*_bound(statement)}
            case _:
                return None
    return None if others & set(absent) or others & _read(scope, tried) else absent


def _calls(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Call) for inner in every_node(node))


def _read(node: ast.AST, but: ast.AST) -> set[str]:
    """The names that are read in a node outside one statement, but for parameters in their functions."""
    if node is but:
        return set()
    found = {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else set[str]()
    for child in children(node):
        found |= _read(child, but)
    if isinstance(node, FunctionNode | ast.Lambda):
        found -= {argument.arg for argument in every_node(node.args) if isinstance(argument, ast.arg)}
    return found


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of a ``try`` binds."""
    for node in every_node(statement):
        match node:
            case ast.Import() | ast.ImportFrom():
                yield from (bound.local for bound in imported(node, ""))
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name


def _told(value: ast.expr, handlers: Sequence[ast.ExceptHandler]) -> tuple[bool | str | None] | None:
    """The one value that stands for absence: None, a truth value, or the error that a handler caught."""
    match value:
        case ast.Constant(value=None | bool() as constant):
            return (constant,)
        case ast.Name(id=name) | ast.Call(func=ast.Name(id="str" | "repr"), args=[ast.Name(id=name)]):
            return (ERROR,) if any(handler.name == name for handler in handlers) else None
    return None


def _constants(scope: ast.AST, tried: ast.Try) -> Iterator[tuple[str, bool | None]]:
    """Yield what names are set to before a ``try``, where that may stand for absence."""
    for node in every_node(scope):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=None | bool() as value))
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=None | bool() as value))
            ) if node.lineno < tried.lineno:
                yield name, value


def _is_asked_for_elsewhere(module: str, absent: Absent, own: ModuleTree) -> bool:
    """Whether another module of the backend takes one of the names from this one."""
    for other in own.mentioning(own.modules, *absent):
        table = own.table(other) if other != module else None
        for bound in table.imports if table is not None else ():
            if bound.name in {*absent, "*"} and own.absolute(other, bound.level, bound.module) == module:
                return True
    return False
