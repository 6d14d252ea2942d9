"""The arguments of a callable, as an annotation declares them."""

from __future__ import annotations

import ast

from syncbot.api.expressions import dotted, expression
from syncbot.api.methods import method_signature
from syncbot.api.model import Attribute
from syncbot.api.protocols import is_protocol
from syncbot.api.signatures import Arguments
from syncbot.api.universe import Universe

# So many names are followed into one another.
_STEPS = 3


def declared_call(
    universe: Universe, module: str, annotation: str | None, steps: int = _STEPS
) -> Arguments | None:
    """The arguments that ``Callable[[A, B], R]``, a name for that or a protocol with a ``__call__`` says;
    None where an annotation leaves that open."""
    node = expression((annotation or "").strip("'\""))
    return _of(universe, module, node, steps) if node is not None else None


def _of(universe: Universe, module: str, node: ast.expr, steps: int) -> Arguments | None:
    match node:
        case ast.Subscript(value=head, slice=ast.Tuple(elts=[ast.List(elts=taken), _])) if _is(
            head, "Callable"
        ):
            unpacked = any(isinstance(t, ast.Starred) or _is(getattr(t, "value", t), "Unpack") for t in taken)
            return None if unpacked else Arguments(len(taken), ())
        case ast.Subscript(value=head, slice=inner) if _is(head, "Optional"):
            return _of(universe, module, inner, steps)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _only(universe, module, [left, right], steps)
        case ast.Subscript(value=head, slice=ast.Tuple(elts=members)) if _is(head, "Union"):
            return _only(universe, module, members, steps)
        case ast.Name() | ast.Attribute() if steps:
            return _named(universe, module, dotted(node) or "", steps - 1)
    return None


def _only(universe: Universe, module: str, members: list[ast.expr], steps: int) -> Arguments | None:
    """Return what the one member of a union says that is not None."""
    left = [m for m in members if not (isinstance(m, ast.Constant) and m.value is None)]
    return _of(universe, module, left[0], steps) if len(left) == 1 else None


def _named(universe: Universe, module: str, name: str, steps: int) -> Arguments | None:
    found = universe.local(module, name)
    if found is None:
        return None
    if found.kind == "variable" and len(found.nodes) == 1:
        node = found.nodes[0]
        value = node.value if isinstance(node, Attribute) else None
        return declared_call(universe, found.module, value, steps)
    if found.kind != "class" or not is_protocol(found.class_):
        return None
    member = universe.member(found, "__call__")
    if member is None or len(member.functions) != 1:
        return None
    signature = method_signature(member.functions[0])
    if signature.has("*") or signature.has("**"):
        return None
    named = tuple(p.name for p in signature.parameters if p.kind == "key")
    return Arguments(len(signature.positional), named)


def _is(node: ast.expr, name: str) -> bool:
    return (dotted(node) or "").rpartition(".")[2] == name
