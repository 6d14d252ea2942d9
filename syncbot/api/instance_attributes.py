"""Attributes that a method sets on the object that it is called on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from syncbot.api.expressions import FunctionNode, dotted, short_text, text
from syncbot.api.local_values import LocalValues
from syncbot.api.model import Attribute
from syncbot.api.statement_parts import branches

#: Methods of modules of torch that set the attribute whose name they are given.
REGISTERING = ("register_buffer", "register_parameter", "add_module", "register_module")
# Functions that set an attribute whose name they are given, as ``setattr`` does.
_SETTING = re.compile(r"_*(?:set|replace|register|add|assign|update|init)(?:attr|_|$)")


def instance_attributes(method: FunctionNode) -> Iterable[Attribute]:
    """The attributes that a method assigns on its first parameter, with the conditions around each."""
    arguments = [*method.args.posonlyargs, *method.args.args]
    if not arguments or any(
        (dotted(d) or "").rpartition(".")[2] == "staticmethod" for d in method.decorator_list
    ):
        return
    receiver = arguments[0].arg
    known = LocalValues(method)
    yield from _assigned_on(receiver, method.body, method.name, (), known)


def _assigned_on(
    receiver: str, body: Sequence[ast.stmt], origin: str, guards: tuple[str, ...], known: LocalValues
) -> Iterable[Attribute]:
    for node in body:
        targets: list[tuple[ast.expr, ast.expr | None, ast.expr | None]] = []
        match node:
            case ast.Assign():
                targets = [
                    (t, v, None) for target in node.targets for t, v in _side_by_side(target, node.value)
                ]
            case ast.AnnAssign():
                targets = [(node.target, node.value, node.annotation)]
            case ast.For() | ast.AsyncFor():
                targets = [(node.target, None, None)]
            case ast.With() | ast.AsyncWith():
                targets = [(i.optional_vars, None, None) for i in node.items if i.optional_vars]
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr=attr),
                    args=[ast.Constant(value=str(registered)), *_],
                )
            ) if name == receiver and attr in REGISTERING:
                yield Attribute(registered, node.lineno, None, None, origin, guards)
            case ast.Expr(
                value=ast.Call(func=func, args=[ast.Name(id=name), ast.Constant(value=str(given)), *_])
            ) if name == receiver and given.isidentifier() and _SETTING.match(_last(func)):
                yield Attribute(given, node.lineno, None, None, origin, guards)
        for target, value, annotation in targets:
            for name in _names_on(receiver, target):
                shown = short_text(known.meant(value)) if isinstance(target, ast.Attribute) else None
                yield Attribute(name, node.lineno, text(annotation), shown, origin, guards)
        for inner, condition in branches(node):
            yield from _assigned_on(receiver, inner, origin, guards + condition, known)


def _side_by_side(target: ast.expr, value: ast.expr) -> Iterable[tuple[ast.expr, ast.expr]]:
    """Yield pairs of a target and its value: each value with its own target where both are written side by
    side, else the element of the one value at that position, up to a star."""
    match target, value:
        case (
            ast.Tuple(elts=targets) | ast.List(elts=targets),
            ast.Tuple(elts=values) | ast.List(elts=values),
        ) if len(targets) == len(values) and not any(isinstance(e, ast.Starred) for e in (*targets, *values)):
            yield from zip(targets, values, strict=True)
        case ast.Tuple(elts=targets) | ast.List(elts=targets), ast.Call() | ast.Name() | ast.Attribute():
            stars = (place for place, one in enumerate(targets) if isinstance(one, ast.Starred))
            plain = targets[: next(stars, len(targets))]
            for place, one in enumerate(plain):
                yield one, ast.Subscript(value=value, slice=ast.Constant(value=place))
            yield ast.Tuple(elts=targets[len(plain) :]), value
        case _:
            yield target, value


def _last(func: ast.expr) -> str:
    return (dotted(func) or "").rpartition(".")[2]


def _names_on(receiver: str, target: ast.expr) -> Iterable[str]:
    match target:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name == receiver:
            yield attribute
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for element in elements:
                yield from _names_on(receiver, element)
        case ast.Starred(value=inner):
            yield from _names_on(receiver, inner)
