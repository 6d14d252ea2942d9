"""The demands that code makes on the value of an attribute: of a method's own object, or of a parameter."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from syncbot.api.every_node import children, every_node
from syncbot.api.expressions import FunctionNode, dotted, named_arguments
from syncbot.api.remembered_answers import remembered
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.asked_of_values import asked, surely_lacks

_TESTS = {"isinstance", "issubclass", "type", "hasattr", "callable"}


@dataclass(frozen=True, slots=True)
class Demands:
    """A function asks something of an attribute of one parameter: attributes that the value has to have, in
    their order. The parameter is the object of the method itself where ``annotation`` is None;
    ``asks_if_true``: some are only asked where the value is true."""

    scope: str
    annotation: str | None
    wanted: tuple[str, ...]
    asks_if_true: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """An attribute that a value has to have, and the function that asks for it."""

    module: str
    scope: str
    wanted: str


def demands_on(
    class_: Symbol, name: str, universe: Universe, tree: ModuleTree, readers: Iterator[str], empty: bool
) -> Iterator[Asked]:
    """Yield what a tree asks of the attribute of an object of a class: in methods that the class has from
    there, and in the ``readers``, modules whose functions may take such an object. Of an ``empty`` value
    nothing is asked where a function first looks whether it is true."""
    lineage = {owner.name: owner for owner in universe.lineage(class_).classes}
    homes = [owner.module for owner in lineage.values() if universe.tree_of(owner.module) is tree]
    for module in dict.fromkeys((*homes, *readers)):
        for found in demands_in(tree.source(module) or b"", name):
            if empty and found.asks_if_true:
                continue
            if found.annotation is not None:
                taken = universe.annotation_class(module, found.annotation)
                meant = taken is not None and taken.name in lineage
            else:
                owner, _, method = f"{module}.{found.scope}".rpartition(".")
                has = universe.member(class_, method) if owner in lineage else None
                meant = has is not None and has.owner.name == owner
            if meant:
                tree.note((module,))
                yield from (Asked(module, found.scope, wanted) for wanted in found.wanted)


def lacks(value: type | Symbol, wanted: str, universe: Universe) -> bool:
    """Whether a value of a built-in type, or an object of a class, is sure not to have an attribute."""
    if isinstance(value, type):
        return all(wanted not in vars(base) for base in value.__mro__)
    return surely_lacks(universe, value, wanted)


@remembered(2048)
def demands_in(source: bytes, name: str) -> tuple[Demands, ...]:
    """The demands on attributes of that name in one text. Functions that set the attribute, or look what the
    value is, make none."""
    lines = [number for number, line in enumerate(source.splitlines(), 1) if f".{name}".encode() in line]
    tree = parsed(source) if lines else None
    return tuple(_below(tree, name, "", lines)) if tree is not None else ()


def _below(node: ast.AST, name: str, scope: str, lines: Sequence[int]) -> Iterator[Demands]:
    """Only what has one of the ``lines`` can ask something of the attribute."""
    for child in children(node):
        if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            continue
        if isinstance(child, ast.stmt) and not _has_one(child, lines):
            continue
        if not isinstance(child, ast.ClassDef | FunctionNode):
            yield from _below(child, name, scope, lines)
            continue
        inner = f"{scope}.{child.name}" if scope else child.name
        if isinstance(child, FunctionNode):
            yield from _of_function(child, name, inner, isinstance(node, ast.ClassDef))
        else:
            yield from _below(child, name, inner, lines)


def _has_one(node: ast.stmt, lines: Sequence[int]) -> bool:
    at = bisect_left(lines, node.lineno)
    return at < len(lines) and lines[at] <= (node.end_lineno or node.lineno)


def _of_function(node: FunctionNode, name: str, scope: str, is_method: bool) -> Iterator[Demands]:
    having = {
        part.value.id
        for part in every_node(node)
        if isinstance(part, ast.Attribute) and part.attr == name and isinstance(part.value, ast.Name)
    }
    for place, argument in enumerate(named_arguments(node.args)):
        written = argument.annotation
        if argument.arg not in having:
            continue
        if is_method and place == 0:
            annotation = None
        elif written is not None:
            annotation = ast.unparse(written)
        else:
            continue
        found = _asked_of(node, f"{argument.arg}.{name}")
        if found is not None:
            yield Demands(scope, annotation, tuple(dict.fromkeys(found[0])), found[1])


def _asked_of(node: FunctionNode, written: str) -> tuple[list[str], bool] | None:
    """Return what a function asks of an expression, and whether it looks if that is true; None where it sets
    it or tests what it is, or asks nothing."""
    meant = {written}
    meant |= {
        name for name, values in _given(node).items() if [dotted(value) for value in values] == [written]
    }
    wanted: list[str] = []
    looks = False
    for parent in every_node(node):
        for child in children(parent):
            value = child.value if isinstance(child, ast.NamedExpr) else child
            if not isinstance(child, ast.expr) or dotted(value) not in meant:
                continue
            if _is_set(child, written) or _is_tested(child, parent):
                return None
            looks = looks or _asks_if_true(child, parent)
            wanted += filter(None, [_wanted(child, parent)])
    return (wanted, looks) if wanted else None


def _given(node: FunctionNode) -> dict[str, list[ast.expr]]:
    """The values that the variables of a function are given; of a variable that a loop sets, none."""
    given: dict[str, list[ast.expr]] = {}
    for part in every_node(node):
        match part:
            case ast.Name(id=name, ctx=ast.Store()):
                given.setdefault(name, [])
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ):
                given.setdefault(name, []).append(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                given.setdefault(name, []).append(value)
    return given


def _is_set(node: ast.expr, written: str) -> bool:
    return isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and dotted(node) == written


def _is_tested(node: ast.expr, parent: ast.AST) -> bool:
    return isinstance(parent, ast.Call) and dotted(parent.func) in _TESTS and node in parent.args


def _asks_if_true(node: ast.expr, parent: ast.AST) -> bool:
    match parent:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return test is node
        case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
            return True
    return False


def _wanted(node: ast.expr, parent: ast.AST) -> str:
    match parent:
        case ast.Compare(ops=[*_, ast.In() | ast.NotIn()], comparators=[*_, searched]) if searched is node:
            return "__contains__"
    return asked(node, parent)
