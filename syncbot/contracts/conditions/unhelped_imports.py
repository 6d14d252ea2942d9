"""Imports whose error is caught, in code that then fails for want of what they would have given."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from syncbot.api.every_node import children, every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.statement_parts import imported
from syncbot.api.tree import ModuleTree
from syncbot.contracts.conditions.tried_imports import only_raises, tried_around
from syncbot.contracts.model import Place

# Calls that only say what happened.
_SAYING = {"print", "warn", "debug", "info", "warning", "error", "exception", "critical", "log",
           "warning_once", "info_once"}  # fmt: skip
_CONDITIONS = (ast.IfExp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.While, ast.comprehension)
_UNBOUND, _ERROR = "unbound", "error"
# What a name is after the handler: a constant, an error, or nothing at all.
_Absent = Mapping[str, bool | str | None]
_Parents = Mapping[ast.AST, ast.AST]


def leaves_a_gap(place: Place, tree: ast.Module | None, own: ModuleTree) -> bool:
    """Whether the handlers around an import put None or False in its place, or nothing, and all that asks for
    it in the module or function around raises then."""
    around = tried_around(place, tree)
    if tree is None or len(around) != 1:
        return False
    tried, handlers = around[0]
    parents = {child: node for node in every_node(tree) for child in children(node)}
    scope: ast.AST = next((n for n in _above(tried, parents) if isinstance(n, FunctionNode)), tree)
    absent = _absent(scope, tried, handlers, place.location.line)
    if absent is None or not _is_bound_here_alone(scope, tried, absent):
        return False
    if scope is tree and _is_asked_for_elsewhere(place.module, absent, own):
        return False
    inside = set(every_node(tried))
    asked = (
        node
        for node in every_node(scope)
        if isinstance(node, ast.Name) and node.id in absent and isinstance(node.ctx, ast.Load)
        and node not in inside
    )  # fmt: skip
    answers = {_fails(node, absent, parents) for node in asked}
    return True in answers and False not in answers


def _above(node: ast.AST, parents: _Parents) -> Iterator[ast.AST]:
    """The nodes around a node, from the inside."""
    while node in parents:
        node = parents[node]
        yield node


def _absent(
    scope: ast.AST, tried: ast.Try, handlers: Sequence[ast.ExceptHandler], line: int
) -> _Absent | None:
    """What the names that a ``try`` gives from a line on are without it, None where its handlers do more than
    to say so, or set what is read elsewhere."""
    before = dict(_constants(scope, tried))
    lost = [s for s in (*tried.body, *tried.orelse) if (s.end_lineno or s.lineno) >= line]
    absent: dict[str, bool | str | None] = {
        name: before.get(name, _UNBOUND) for statement in lost for name in _bound(statement)
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
            return (_ERROR,) if any(handler.name == name for handler in handlers) else None
    return None


def _constants(scope: ast.AST, tried: ast.Try) -> Iterator[tuple[str, bool | None]]:
    """What names are set to before a ``try``, where that may stand for absence."""
    for node in every_node(scope):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=None | bool() as value))
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=None | bool() as value))
            ) if node.lineno < tried.lineno:
                yield name, value


def _is_bound_here_alone(scope: ast.AST, tried: ast.Try, absent: _Absent) -> bool:
    """Whether no other statement gives the names something; before the ``try`` they may stand for absence."""
    inside = set(every_node(tried))
    for node in every_node(scope):
        if node in inside:
            continue
        match node:
            case (
                ast.Assign(targets=[ast.Name() as name], value=ast.Constant(value=None | bool()))
                | ast.AnnAssign(target=ast.Name() as name, value=ast.Constant(value=None | bool()))
            ) if node.lineno < tried.lineno:
                inside.add(name)
            case (
                ast.Name(id=name, ctx=ast.Store() | ast.Del())
                | ast.arg(arg=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                if name in absent:
                    return False
            case ast.Import() | ast.ImportFrom():
                if any(bound.local in absent for bound in imported(node, "")):
                    return False
    return True


def _is_asked_for_elsewhere(module: str, absent: _Absent, own: ModuleTree) -> bool:
    """Whether another module of the backend takes one of the names from this one."""
    for other in own.mentioning(own.modules, *absent):
        table = own.table(other) if other != module else None
        for bound in table.imports if table is not None else ():
            if bound.name in {*absent, "*"} and own.absolute(other, bound.level, bound.module) == module:
                return True
    return False


def _fails(node: ast.Name, absent: _Absent, parents: _Parents) -> bool | None:
    """Whether a place that asks for a name raises without it; None where that does not matter."""
    inner: ast.AST = node
    for around in _above(node, parents):
        match around:
            case ast.If(test=test) | ast.Assert(test=test) if test is inner:
                return _raises(around, absent)
            case _ if isinstance(around, _CONDITIONS):
                if not any(_is_test_of(n, inner) for n in _above(inner, parents)):
                    return False
            case ast.Try(body=body) if any(inner is statement for statement in body):
                return False
            case ast.arg(annotation=said) | ast.AnnAssign(annotation=said) if said is inner:
                return None
            case ast.FunctionDef(returns=said) | ast.AsyncFunctionDef(returns=said) if said is inner:
                return None
            case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body) if any(
                isinstance(s, ast.If | ast.Assert) and s.lineno < node.lineno and _raises(s, absent)
                for s in body
            ):
                return None
        inner = around
    return _is_needed(node, parents) or absent[node.id] == _UNBOUND


def _is_test_of(around: ast.AST, inner: ast.AST) -> bool:
    return isinstance(around, ast.If | ast.Assert) and any(n is inner for n in every_node(around.test))


def _raises(node: ast.If | ast.Assert, absent: _Absent) -> bool:
    """Whether a condition on the names leads to nothing but an error."""
    holds = _holds(node.test, absent)
    if holds is None:
        return False
    if isinstance(node, ast.Assert):
        return not holds
    branch = node.body if holds else node.orelse
    return bool(branch) and only_raises(branch)


def _holds(test: ast.expr, absent: _Absent) -> bool | None:
    """Whether a condition holds where the names are absent, None where something else decides."""
    match test:
        case ast.Name(id=name) if name in absent and absent[name] != _UNBOUND:
            return absent[name] in (True, _ERROR)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            answer = _holds(operand, absent)
            return None if answer is None else not answer
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=None)]):
            if name not in absent or absent[name] == _UNBOUND or not isinstance(op, ast.Is | ast.IsNot):
                return None
            return (absent[name] is None) is isinstance(op, ast.Is)
        case ast.BoolOp(op=op, values=values):
            answers = {_holds(value, absent) for value in values}
            decides = isinstance(op, ast.Or)
            if decides in answers:
                return decides
            return None if None in answers else not decides
    return None


def _is_needed(node: ast.Name, parents: _Parents) -> bool:
    """Whether a name is used as None or a truth value cannot be."""
    match parents[node]:
        case ast.Call(func=func) if func is node:
            return True
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, classes]):
            return classes is node
        case ast.Attribute() | ast.Subscript(slice=ast.expr()) as around:
            return around.value is node
        case ast.ClassDef(bases=bases):
            return any(base is node for base in bases)
    return False
