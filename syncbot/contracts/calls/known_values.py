"""The value of an expression of upstream where some names are known: enough to settle a guard."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from syncbot.api.expressions import dotted, expression
from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.calls.written_tables import may_be_filled

_DEPTH = 3
_BUILT_IN = {
    t.__name__: t for t in (bool, int, float, str, bytes, list, tuple, dict, set, frozenset, complex)
}
_OPERATORS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is written in the source."""

    value: object


@dataclass(frozen=True, slots=True)
class Unique:
    """An object that is nothing but itself, known by its dotted name: what stands for "not given"."""

    name: str


#: None where nothing is known.
Known = Constant | Unique | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where expressions are worth something: the names of a function, None for unknown ones, in a module."""

    universe: Universe
    module: str
    names: Mapping[str, Known]
    depth: int = 0

    def value(self, node: ast.expr | None) -> Known:
        """Return what an expression is worth."""
        match node:
            case ast.Constant(value=value):
                return Constant(value)
            case ast.Name() | ast.Attribute():
                return self._named(node)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return Constant(-number)
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                return self._several(elements)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                truth = self.truth(test)
                return None if truth is None else self.value(body if truth else orelse)
            case ast.BoolOp(op=kind, values=values):
                return self._settling(isinstance(kind, ast.Or), values)
            case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.Call():
                truth = self.truth(node)
                return None if truth is None else Constant(truth)
        return None

    def truth(self, node: ast.expr) -> bool | None:
        """Whether a condition holds; None where that is not known."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                truth = self.truth(operand)
                return None if truth is None else not truth
            case ast.BoolOp(op=kind, values=values):
                settling = isinstance(kind, ast.Or)
                told = [self.truth(value) for value in values]
                return settling if settling in told else None if None in told else not settling
            case ast.Compare(left=left, ops=[test], comparators=[right]):
                return _compared(test, self.value(left), self.value(right))
            case ast.Call(func=ast.Name(id="isinstance"), args=[tested, kinds], keywords=[]):
                return self._is_instance(self.value(tested), kinds)
            case ast.Call():
                return None
        known = self.value(node)
        return bool(known.value) if isinstance(known, Constant) else None

    def _settling(self, truth: bool, values: list[ast.expr]) -> Known:
        """The first of some values that has that truth, else the last one."""
        for value in values[:-1]:
            told = self.truth(value)
            if told is None or told is truth:
                return self.value(value) if told is truth else None
        return self.value(values[-1])

    def _named(self, node: ast.Name | ast.Attribute) -> Known:
        name = dotted(node)
        if name is None:
            return None
        if name in self.names:
            return self.names[name]
        head = name.partition(".")[0]
        if head in self.names or head in _BUILT_IN:
            return None
        return self._of(self.universe.local(self.module, name), name)

    def _of(self, symbol: Symbol | None, written: str) -> Known:
        """Return what a name outside the function is worth. What a compiled module or a call makes is
        unique."""
        if symbol is None or symbol.kind in ("class", "function", "module"):
            return None
        if symbol.kind == "unknown":
            return Unique(symbol.name) if "." in written else None
        nodes = [node for node in symbol.nodes if isinstance(node, Attribute)]
        if len(nodes) != 1 or nodes[0].guards or self.depth > _DEPTH or self._is_bound_anew(symbol):
            return None
        if nodes[0].value is None:
            return Unique(symbol.name) if self._of_one_object(symbol, nodes[0]) else None
        there = Surroundings(self.universe, symbol.module, {}, self.depth + 1)
        written_there = expression(nodes[0].value)
        made = isinstance(written_there, ast.Call)
        if isinstance(written_there, ast.List | ast.Set) and may_be_filled(self.universe, symbol):
            return None
        owner = self.universe.local(symbol.module, symbol.qualname.rpartition(".")[0] or "object")
        is_member = owner is not None and owner.kind == "class" and _is_enumeration(self.universe, owner)
        return Unique(symbol.name) if made or is_member else there.value(written_there)

    def _is_bound_anew(self, symbol: Symbol) -> bool:
        """Whether a function of its module binds a name again, by ``global``: its value is of the moment."""
        tree = self.universe.tree_of(symbol.module)
        text = (tree.source(symbol.module) if tree is not None else None) or b""
        name = re.escape(symbol.qualname.encode())
        return re.search(rb"^[ \t]+global [\w, \t]*\b" + name + rb"\b", text, re.MULTILINE) is not None

    def _of_one_object(self, symbol: Symbol, declared: Attribute) -> bool:
        """Whether a name without a value, as in stubs, is declared as an object of a class of the tree."""
        found = self.universe.local(symbol.module, declared.annotation or "")
        return found is not None and found.kind == "class"

    def _several(self, elements: list[ast.expr]) -> Known:
        values: list[object] = []
        for element in elements:
            spread = element.value if isinstance(element, ast.Starred) else None
            known = self.value(spread or element)
            if not isinstance(known, Constant):
                return None
            if spread is None:
                values.append(known.value)
            elif isinstance(known.value, tuple):
                values += known.value
            else:
                return None
        return Constant(tuple(values))

    def _is_instance(self, tested: Known, kinds: ast.expr) -> bool | None:
        names = [dotted(e) for e in (kinds.elts if isinstance(kinds, ast.Tuple) else [kinds])]
        if not isinstance(tested, Constant) or not all(name in _BUILT_IN for name in names):
            return None
        return isinstance(tested.value, tuple(_BUILT_IN[str(name)] for name in names))


def _is_enumeration(universe: Universe, owner: Symbol) -> bool:
    return any(base.rpartition(".")[2].endswith("Enum") for base in universe.lineage(owner).external)


def _compared(test: ast.cmpop, left: Known, right: Known) -> bool | None:
    if left is None or right is None:
        return None
    if isinstance(left, Unique) or isinstance(right, Unique):
        if not isinstance(test, ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
            return None
        if type(left) is type(right) or isinstance(test, ast.Is | ast.IsNot):
            return (left == right) == isinstance(test, ast.Is | ast.Eq)
        return None
    try:
        return bool(_OPERATORS[type(test)](left.value, right.value))
    except TypeError:
        return None
