"""The demands that code makes on the value of an attribute: of a method's own object, or of a parameter."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
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
        for found in demands_in(tree.source(module) or b"").get(name, ()):
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


@remembered(4096)
def demands_in(source: bytes) -> Mapping[str, tuple[Demands, ...]]:
    """The demands of one text by the name of the attribute. Functions that set the attribute, or look what
    the value is, make none."""
    tree = parsed(source)
    found: dict[str, list[Demands]] = {}
    for name, demands in _below(tree, "") if tree is not None else ():
        found.setdefault(name, []).append(demands)
    return {name: tuple(demands) for name, demands in found.items()}


def _below(node: ast.AST, scope: str) -> Iterator[tuple[str, Demands]]:
    for child in children(node):
        if isinstance(child, ast.ClassDef | FunctionNode):
            inner = f"{scope}.{child.name}" if scope else child.name
            if isinstance(child, FunctionNode):
                yield from _of_function(child, inner, isinstance(node, ast.ClassDef))
            else:
                yield from _below(child, inner)
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _below(child, scope)


def _of_function(node: FunctionNode, scope: str, is_method: bool) -> Iterator[tuple[str, Demands]]:
    annotations: dict[str, str | None] = {}
    for place, each in enumerate(named_arguments(node.args)):
        if is_method and place == 0:
            annotations[each.arg] = None
        elif each.annotation is not None:
            annotations[each.arg] = ast.unparse(each.annotation)
    nodes = [*every_node(node)] if annotations else []
    read = {
        f"{part.value.id}.{part.attr}"
        for part in nodes
        if isinstance(part, ast.Attribute)
        and isinstance(part.value, ast.Name)
        and part.value.id in annotations
    }
    found = _asked_of(nodes, read) if read else {}
    for argument, annotation in annotations.items():
        for written, (wanted, looks) in found.items():
            owner, _, name = written.partition(".")
            if owner == argument:
                yield name, Demands(scope, annotation, tuple(dict.fromkeys(wanted)), looks)


def _asked_of(nodes: Collection[ast.AST], written: Collection[str]) -> dict[str, tuple[list[str], bool]]:
    """Return what the nodes of a function ask of each of some expressions, and whether it looks if that is
    true; nothing of one that it sets, or tests for what it is."""
    meant = {each: each for each in written}
    for variable, values in _given(nodes).items():
        stands_for = dotted(values[0]) if len(values) == 1 else None
        if stands_for is not None and stands_for in written:
            meant[variable] = stands_for
    wanted: dict[str, list[str]] = {each: [] for each in written}
    looks: set[str] = set()
    settled: set[str] = set()
    for parent in nodes:
        for child in children(parent):
            if not isinstance(child, ast.expr):
                continue
            asked_of = meant.get(dotted(child.value if isinstance(child, ast.NamedExpr) else child) or "")
            if asked_of is None:
                continue
            if _is_set(child, asked_of) or _is_tested(child, parent):
                settled.add(asked_of)
            if _asks_if_true(child, parent):
                looks.add(asked_of)
            wanted[asked_of] += filter(None, [_wanted(child, parent)])
    return {each: (asks, each in looks) for each, asks in wanted.items() if asks and each not in settled}


def _given(nodes: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    """The values that variables are given in the nodes of a function; of one that a loop sets, none."""
    given: dict[str, list[ast.expr]] = {}
    for part in nodes:
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
