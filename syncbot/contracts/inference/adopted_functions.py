"""Functions that a statement puts into a class (``Class.method = function``), or that another function puts
there (``put(Class, "method", function)``) or makes (``Class.method = made(…)``): their first parameter is an
object of that class."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from syncbot.api.expressions import FunctionNode, dotted, string

# What a function is wrapped in on its way into a class, by what it is called with then.
_OF_OBJECT = {"property", "cached_property", "functools.cached_property"}
_OF_CLASS = {"classmethod"}


@dataclass(frozen=True, slots=True)
class Adoption:
    """The class as the statement writes it, the ``name`` that the function has there, and the function
    ``around`` the statement; ``of_class``: the function becomes a class method; ``of_object``: it becomes a
    method of the one object that is written; ``handed``: a function is given the class, the name and the
    function, and puts it there if the class has one of that name."""

    target: ast.expr
    name: str
    around: FunctionNode | None
    of_class: bool = False
    of_object: bool = False
    handed: bool = False


def adopted(tree: ast.Module) -> Mapping[FunctionNode, tuple[Adoption, ...]]:
    """The functions of a module that its statements put somewhere by an attribute, and where each goes."""
    found: dict[FunctionNode, tuple[Adoption, ...]] = {}
    for function, adoption in _adoptions(tree.body, None, {}):
        found[function] = (*found.get(function, ()), adoption)
    return found


def _adoptions(
    body: Sequence[ast.stmt], around: FunctionNode | None, above: Mapping[str, FunctionNode]
) -> Iterator[tuple[FunctionNode, Adoption]]:
    statements = list(_statements(body))
    functions = [node for node in statements if isinstance(node, FunctionNode)]
    seen = {**above, **{node.name: node for node in functions}}
    for node in statements:
        if (handed := _handed(node)) is not None and handed[2] in seen:
            yield seen[handed[2]], Adoption(handed[0], handed[1], around, handed=True)
        placed = _placed(node)
        if placed is None:
            continue
        target, name, value = placed
        bound = _bound_to_object(value)
        if bound is not None and bound[0] in seen:
            yield seen[bound[0]], Adoption(bound[1], name, around, of_object=True)
        function, of_class = _function_in(value)
        if function in seen:
            yield seen[function], Adoption(target, name, around, of_class)
        made = returned_function(seen[maker]) if (maker := _maker(value)) in seen else None
        if made is not None:
            yield made, Adoption(target, name, around)
    methods = (n for c in statements if isinstance(c, ast.ClassDef) for n in _statements(c.body))
    for node in (*functions, *(n for n in methods if isinstance(n, FunctionNode))):
        yield from _adoptions(node.body, node, seen)


def returned_function(maker: FunctionNode) -> FunctionNode | None:
    """The one function of those in the body of another that this one returns, maybe beside other things."""
    statements = list(_statements(maker.body))
    inside = {node.name: node for node in statements if isinstance(node, FunctionNode)}
    returned = [node.value for node in statements if isinstance(node, ast.Return)]
    names = {value.id for value in returned if isinstance(value, ast.Name)} & inside.keys()
    return inside[names.pop()] if len(names) == 1 else None


def _maker(value: ast.expr) -> str:
    """The name of the function whose result a value is; empty for anything else."""
    match value:
        case ast.Call(func=ast.Name(id=name)):
            return name
    return ""


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block, also those under conditions; not those of definitions in it."""
    for node in body:
        yield node
        if isinstance(node, FunctionNode | ast.ClassDef):
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, field, ()))
        for handler in getattr(node, "handlers", ()):
            yield from _statements(handler.body)


def _placed(node: ast.stmt) -> tuple[ast.expr, str, ast.expr] | None:
    """Owner, name and value of ``owner.name = value`` and of ``setattr(owner, "name", value)``."""
    match node:
        case ast.Assign(targets=[ast.Attribute(value=owner, attr=name)], value=value):
            return owner, name, value
        case ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=[owner, written, value])):
            told = string(written)
            return (owner, told, value) if told else None
    return None


def _handed(node: ast.stmt) -> tuple[ast.expr, str, str] | None:
    """The owner, the name and the function of ``put(owner, "name", function, …)``."""
    match node.value if isinstance(node, ast.Expr | ast.Assign) else None:
        case ast.Call(func=putting, args=[owner, ast.Constant(value=str(name)), ast.Name(id=given), *_]):
            plain = dotted(owner) is not None and dotted(putting) != "setattr"
            return (owner, name, given) if plain else None
    return None


def _bound_to_object(value: ast.expr) -> tuple[str, ast.expr] | None:
    """The name of the function and the object of ``MethodType(function, object)`` and of
    ``function.__get__(object)``."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="__get__"), args=[owner, *_]):
            return name, owner
        case ast.Call(func=maker, args=[ast.Name(id=name), owner], keywords=[]):
            return (name, owner) if (dotted(maker) or "").rpartition(".")[2] == "MethodType" else None
    return None


def _function_in(value: ast.expr) -> tuple[str, bool]:
    """The name of the function that a value is made of, and whether it becomes a class method."""
    match value:
        case ast.Name(id=name):
            return name, False
        case ast.Call(func=wrapper, args=[ast.Name(id=name)], keywords=[]):
            by = dotted(wrapper) or ""
            return (name, by in _OF_CLASS) if by in _OF_OBJECT | _OF_CLASS else ("", False)
    return "", False
