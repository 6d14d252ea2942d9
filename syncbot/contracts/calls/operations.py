"""The computation of an expression with a value and with what is written out beside it, and whether values of
a built-in type allow that: it is tried with some."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import lru_cache
from typing import Any

from syncbot.api.expressions import dotted, string
from syncbot.contracts.calls.literal_types import literal_type

#: Each step as text in which ``_`` stands for the value, or for what the step before gave: ``_ + int``.
Steps = tuple[str, ...]

# What is declared a float may be an int (https://peps.python.org/pep-0484/#the-numeric-tower), and what is
# formatted by % decides what it takes.
_SAMPLES: dict[str, tuple[Any, ...]] = {
    "bool": (True,),
    "int": (1, 2),
    "float": (1.5, 1, 2),
    "str": ("", "a", "%a"),
    "bytes": (b"", b"a", b"%a"),
    "list": ([], [1]),
    "tuple": ((), (1,)),
    "dict": ({}, {1: 1}),
    "set": (set(), {1}),
    "frozenset": (frozenset(), frozenset({1})),
}
_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}
_TESTS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "in",
}
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "&=": operator.iand,
    "|=": operator.ior,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda one, several: operator.contains(several, one),
    "[]": operator.getitem,
}
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    **{f.__name__: f for f in (range, int, float, abs, round, chr, bin, hex)},
    **{f"math.{f.__name__}": f for f in (math.ceil, math.floor, math.sqrt, math.log2, math.log)},
}
_UNARY: dict[str, Callable[[Any], Any]] = {
    **{f"{name}(_)": function for name, function in _FUNCTIONS.items()},
    "-_": operator.neg,
    "str.join(_)": "".join,
}
_MOST_STEPS = 4
# A text of the width that a format asks for is made when it is tried.
_WIDE = re.compile(r"[0-9]{4}")


def operation(node: ast.expr, parents: Sequence[ast.AST]) -> Steps:
    """Return what the expressions around a value compute with it, from the inside out; empty where the rest
    of that is not written out."""
    steps: list[str] = []
    value: ast.AST = node
    for parent in reversed(parents[-_MOST_STEPS:]):
        step = _step(value, parent)
        if not step:
            break
        steps.append(step)
        if not isinstance(parent, ast.BinOp | ast.UnaryOp):
            break
        value = parent
    return tuple(steps)


def _step(node: ast.AST, parent: ast.AST) -> str:
    match parent:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _SIGNS:
            return _binary(node, left, _SIGNS[type(op)], right)
        case ast.AugAssign(target=target, op=op, value=value) if target is node and type(op) in _SIGNS:
            return _binary(node, target, f"{_SIGNS[type(op)]}=", value)
        case ast.Compare(left=left, ops=[test, *_], comparators=[right, *_]) if type(test) in _TESTS:
            return _binary(node, left, _TESTS[type(test)], right)
        case ast.Subscript(value=value, slice=place) if place is node:
            return _binary(node, value, "[]", place)
        case ast.UnaryOp(op=ast.USub()):
            return "-_"
        case ast.FormattedValue(conversion=-1, format_spec=ast.JoinedStr(values=[spec])):
            format_ = string(spec) or ""
            return f"{{_:{format_}}}" if format_ and not _WIDE.search(format_) else ""
        case ast.Call(func=func, args=values, keywords=[]) if any(value is node for value in values):
            return _called(func, values)
    return ""


def _binary(node: ast.AST, left: ast.expr, sign: str, right: ast.expr) -> str:
    other = literal_type(right if left is node else left)
    if not other or not (left is node or right is node):
        return ""
    return f"_ {sign} {other}" if left is node else f"{other} {sign} _"


def _called(func: ast.expr, values: Sequence[ast.expr]) -> str:
    match func:
        case ast.Attribute(value=ast.Constant(value=str()), attr="join"):
            return "str.join(_)"
    name = dotted(func) or ""
    return f"{name}(_)" if name in _FUNCTIONS and (len(values) == 1 or name == "range") else ""


def shown(step: str) -> str:
    """A step as it would be written."""
    return step.replace(" [] _", "[_]")


def newly_refused(steps: Steps, old: str, new: str) -> str:
    """The step that no value of the type ``new`` allows, where some of the type ``old`` allow all; empty for
    none. Both are names of built-in types."""
    return refused(steps, new) if old in _SAMPLES and not refused(steps, old) else ""


@lru_cache(maxsize=1024)
def refused(steps: Steps, type_: str) -> str:
    """The first step that no value of a built-in type allows; empty where there is none."""
    values: list[Any] = [*_SAMPLES.get(type_, ())]
    for step in steps if values else ():
        given = [found for value in values for found in _tried(step, value)]
        if not given:
            return step
        values = [each[0] for each in given if each]
        if not values:
            return ""
    return ""


def _tried(step: str, value: Any) -> Iterator[tuple[Any, ...]]:
    """Yield what a step gives, each result in a tuple that is empty where it depends on the value whether
    there is any; nothing where values of that type are refused."""
    for compute in _computing(step, value):
        try:
            yield (compute(),)
        except TypeError:
            continue
        except (ArithmeticError, LookupError):
            yield ()
        except ValueError:
            # A format that is not known to a type is not known for any of its values.
            if not step.startswith("{"):
                yield ()


def _computing(step: str, value: Any) -> Iterator[Callable[[], Any]]:
    if step.startswith("{"):
        yield lambda: format(value, step[3:-1])
        return
    match step.split(" "):
        case ["_", sign, type_]:
            for other in _SAMPLES[type_]:
                yield lambda other=other: _BINARY[sign](copy(value), other)  # type: ignore[misc]
        case [type_, sign, "_"]:
            for other in _SAMPLES[type_]:
                yield lambda other=other: _BINARY[sign](other, value)  # type: ignore[misc]
        case _:
            yield lambda: _UNARY[step](value)
