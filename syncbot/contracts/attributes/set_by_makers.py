"""Attributes that a function sets on the object which it makes and returns."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, expression, string
from syncbot.api.remembered_answers import remembered
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parsed
from syncbot.contracts.attributes.closed_classes import refuses
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.inference.values import Scope


def maker_setting(name: str, class_: Symbol, module: str, pair: Comparison) -> str | None:
    """A function of a module of the backend that returns an object of a class, on which it has set an
    attribute under no condition; None where there is none."""
    if not pair.own_tree.owns(module):
        return None
    for maker in _makers(pair.own_tree.source(module) or b"", name):
        call = expression(f"{maker}()")
        made = pair.in_new.infer(call, Scope(module)) if call is not None else None
        if made is not None and made.instance:
            kin = {c.name for c in pair.new.lineage(made.symbol).classes}
            if class_.name in kin and refuses(pair.new, made.symbol, name) is None:
                return maker
    return None


@remembered(2048)
def _makers(source: bytes, name: str) -> tuple[str, ...]:
    """The functions at the top of a text that set an attribute on what they return."""
    if name.encode() not in source:
        return ()
    tree = parsed(source)
    functions = (n for n in (tree.body if tree is not None else ()) if isinstance(n, FunctionNode))
    return tuple(function.name for function in functions if _sets(function.body, name, _returned(function)))


def _returned(function: FunctionNode) -> str:
    """The variable that is all a function returns."""
    returns = [n.value for n in every_node(function) if isinstance(n, ast.Return)]
    names = {value.id if isinstance(value, ast.Name) else "" for value in returns}
    return names.pop() if len(names) == 1 else ""


def _sets(body: Sequence[ast.stmt], name: str, receiver: str) -> bool:
    return bool(receiver) and any(owner == receiver for part in body for owner in _given(part, name, ()))


def _given(statement: ast.stmt, name: str, loops: tuple[tuple[str, ast.expr], ...]) -> Iterator[str]:
    """The variables on which a statement sets the attribute whenever it runs; ``loops`` are the variables of
    loops around, with what they run through."""
    match statement:
        case ast.Assign(targets=targets):
            yield from (
                target.value.id
                for target in targets
                if isinstance(target, ast.Attribute)
                and target.attr == name
                and isinstance(target.value, ast.Name)
            )
        case ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=owner), named, _])):
            if string(named) == name or (isinstance(named, ast.Name) and _runs(named.id, name, loops)):
                yield owner
        case ast.For(target=ast.Name(id=variable), iter=through, body=body):
            for inner in body:
                yield from _given(inner, name, (*loops, (variable, through)))


def _runs(variable: str, name: str, loops: Sequence[tuple[str, ast.expr]]) -> bool:
    """Whether the variable of a loop is a text at some time."""
    through = next((values for known, values in reversed(loops) if known == variable), None)
    elements = through.elts if isinstance(through, ast.Tuple | ast.List | ast.Set) else ()
    return any(string(element) == name for element in elements)
