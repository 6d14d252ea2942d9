"""A function asks an argument for an attribute that the passed value lacks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted, string
from syncbot.api.model import Function
from syncbot.contracts.calls.certain_statements import certain, evaluated

_TYPES: dict[str, type] = {t.__name__: t for t in (dict, set, tuple, list, str, int, float, bool)}
_TESTING = {"isinstance", "issubclass", "type", "hasattr", "getattr", "callable"}


def lacked_by_literals(type_: str) -> Callable[[str], bool]:
    """Which attributes literals of a built-in type lack; none is known of another type."""
    known = _TYPES.get(type_)
    return lambda name: known is not None and not hasattr(known, name)


def asked_in_vain(
    node: FunctionNode | None, function: Function, keyword: str, lacks: Callable[[str], bool]
) -> str | None:
    """The first attribute that statements which are sure to run read of an argument, and that it ``lacks``;
    None where there is none, or the variable may hold something else by then."""
    if node is None:
        return None
    named = any(p.name == keyword and p.kind in ("any", "key") for p in function.parameters)
    held = {keyword: 0} if named else {}
    for statement in certain(node.body):
        for name, attribute in _read_of(statement, held):
            if lacks(attribute):
                return None if _is_settled(node, name, held[name], statement.lineno) else attribute
        taken = _takes(statement, function, keyword)
        if taken is not None:
            held[taken] = statement.lineno
    return None


def _read_of(statement: ast.stmt, held: dict[str, int]) -> Iterator[tuple[str, str]]:
    for node in evaluated(statement):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in held:
                yield name, attribute


def _is_settled(node: FunctionNode, name: str, first: int, last: int) -> bool:
    """Whether a function binds a name anew, or asks what it is, between two lines."""
    for inner in every_node(node):
        if not first < getattr(inner, "lineno", 0) <= last:
            continue
        match inner:
            case ast.Name(id=bound, ctx=ast.Store() | ast.Del()) if bound == name:
                return True
            case ast.Call(func=func, args=[ast.Name(id=asked), *_]) if (
                asked == name and dotted(func) in _TESTING
            ):
                return True
    return False


def _takes(statement: ast.stmt, function: Function, keyword: str) -> str | None:
    """The variable that a statement gives the keyword that ``**`` took."""
    catcher = next((p.name for p in function.parameters if p.kind == "**"), None)
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id=variable)], value=value)
            | ast.AnnAssign(target=ast.Name(id=variable), value=value)
        ):
            return variable if catcher is not None and _key(value, catcher) == keyword else None
    return None


def _key(value: ast.expr | None, catcher: str) -> str | None:
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="pop" | "get"), args=[key, *_]):
            return string(key) if name == catcher else None
        case ast.Subscript(value=ast.Name(id=name), slice=key):
            return string(key) if name == catcher else None
    return None
