"""Operators between two values: which special method the one is asked for, and which the other one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.contracts.calls.literal_types import literal_type

_NAMES: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
_SIGNS = dict(
    zip(_NAMES.values(), ("+", "-", "*", "@", "/", "//", "%", "**", "&", "|", "^", "<<", ">>"), strict=True)
)
_ORDERS: dict[type[ast.cmpop], str] = {
    ast.Lt: "__lt__",
    ast.Gt: "__gt__",
    ast.LtE: "__le__",
    ast.GtE: "__ge__",
}
#: The methods of ``<`` and the like, each with the one that the other operand is asked for after it.
ORDERING = {"__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__"}
# What every text, and every series that is repeated, does with whatever stands on the right.
_KNOWING_ALL = (ast.Mod, ast.Mult)


@dataclass(frozen=True, slots=True)
class Operand:
    """A value that is asked for a special ``method``, with the ``other`` one."""

    value: ast.expr
    method: str
    other: ast.expr


def operands(node: ast.AST) -> Iterator[Operand]:
    """The operands of an operator: the left one, and the right one where the left is written out."""
    match node:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _NAMES:
            name = _NAMES[type(op)]
            yield Operand(left, f"__{name}__", right)
            if literal_type(left) and not isinstance(op, _KNOWING_ALL):
                yield Operand(right, f"__r{name}__", left)
        case ast.Compare(left=left, ops=[order, *_], comparators=[right, *_]) if type(order) in _ORDERS:
            name = _ORDERS[type(order)]
            yield Operand(left, name, right)
            if literal_type(left):
                yield Operand(right, ORDERING[name], left)


def sign(method: str) -> str:
    """The operator that a method stands for, empty for another method."""
    if not method.startswith("__"):
        return ""
    name = method.strip("_")
    return _SIGNS.get(name, "") or _SIGNS.get(name.removeprefix("r"), "")
