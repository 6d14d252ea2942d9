"""Values that a call writes out, held against parameters that are declared with ``Literal``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.expressions import dotted, expression
from syncbot.api.model import Attribute, Parameter
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.closed_classes import MODELS
from syncbot.contracts.calls.declared_arguments import parameter
from syncbot.contracts.calls.targets import CallContract, Target
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Finding

_DEPTH = 3


def left_out(contract: CallContract, before: Target, after: Target, pair: Comparison) -> Iterator[Finding]:
    """Yield a finding where what is passed is none of the values any more that are declared."""
    old, new = before.signatures[-1], after.signatures[-1]
    for key, text in contract.arguments.constants:
        was, now = parameter(old, key), parameter(new, key)
        if was is None or now is None or was.name != now.name:
            continue
        allowed = _values(pair.new, after.module, now)
        if allowed is None or text in allowed or text not in (_values(pair.old, before.module, was) or ()):
            continue
        ground = Ground.ARGUMENT_REFUSED if _validates(pair.new, contract, after) else Ground.DECLARED
        yield Finding(
            contract, ChangeKind.PARAMETER_TYPE_CHANGED, after.symbol, ground,
            f"{after.symbol}() does not declare {text} as a value of {now.name} any more", subject=now.name,
        )  # fmt: skip


def _values(universe: Universe, module: str, declared: Parameter) -> frozenset[str] | None:
    """The texts of the values that a parameter takes; None where it takes others too."""
    if not declared.annotation:
        return None
    found = list(_written(universe, module, expression(declared.annotation), 0))
    return None if None in found else frozenset(value for value in found if value is not None)


def _written(universe: Universe, module: str, node: ast.expr | None, depth: int) -> Iterator[str | None]:
    """The texts of the values of a type, None for what is no literal."""
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _written(universe, module, left, depth)
            yield from _written(universe, module, right, depth)
        case ast.Constant(value=None):
            yield "None"
        case ast.Constant(value=str(text)) if depth < _DEPTH:
            yield from _written(universe, module, expression(text), depth + 1)
        case ast.Subscript(value=head, slice=inside):
            parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            last = (dotted(head) or "").rpartition(".")[2]
            if last == "Literal":
                yield from (ast.unparse(p) if isinstance(p, ast.Constant) else None for p in parts)
            elif last in ("Optional", "Union"):
                yield from ("None",) if last == "Optional" else ()
                for part in parts:
                    yield from _written(universe, module, part, depth)
            else:
                yield None
        case ast.Name() | ast.Attribute() if depth < _DEPTH and (alias := _alias(universe, module, node)):
            yield from _written(universe, alias[0], alias[1], depth + 1)
        case _:
            yield None


def _alias(universe: Universe, module: str, node: ast.expr) -> tuple[str, ast.expr] | None:
    """The type that a name of a module stands for, with the module that writes it out."""
    found = universe.local(module, dotted(node) or "")
    if found is None or found.kind != "variable" or len(found.nodes) != 1:
        return None
    only = found.nodes[0]
    written = expression(only.value or "") if isinstance(only, Attribute) else None
    return (found.module, written) if written is not None else None


def _validates(universe: Universe, contract: CallContract, after: Target) -> bool:
    """Whether the class that is called is a model of pydantic, which refuses another value."""
    class_ = universe.resolve(contract.symbol) if not contract.receiver else None
    if class_ is None or class_.kind != "class" or any(f.name == "__init__" for f in after.running):
        return False
    lineage = universe.lineage(class_)
    bodies = [one.class_ for one in lineage.classes if one.class_ is not None]
    asked = any("validator" in d for body in bodies for f in body.functions for d in f.decorators)
    return bool(lineage.external) and MODELS.issuperset(lineage.external) and not asked
