"""Containers in upstream modules and classes that the backend adds to: sets, lists, tuples, dictionaries."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import dotted, expression
from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol
from syncbot.contracts.annotation_differences import builtin_name
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

_TYPES: dict[str, type] = {t.__name__: t for t in (set, frozenset, list, tuple, dict)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerContract(Contract):
    """``symbol.method(…)`` or, for ``__setitem__``, ``symbol[…] = …``."""

    method: str


@finder(ast.Call)
def find_methods(node: ast.Call, context: Context) -> Iterator[ContainerContract]:
    """Calls of methods of a container."""
    if isinstance(node.func, ast.Attribute):
        yield from _contract(node.func.value, node.func.attr, node, context)


@finder(ast.Assign)
def find_items(node: ast.Assign, context: Context) -> Iterator[ContainerContract]:
    """Assignments to items of a container."""
    for target in node.targets:
        if isinstance(target, ast.Subscript):
            yield from _contract(target.value, "__setitem__", target, context)


def _contract(owner: ast.expr, method: str, node: ast.AST, context: Context) -> Iterator[ContainerContract]:
    name = dotted(owner)
    if (
        name is None
        or (found := named_variable(name, context)) is None
        or not context.is_upstream(found.module)
    ):
        return
    kind = _container(found)
    if kind is not None and hasattr(kind, method):
        yield ContainerContract(symbol=found.name, method=method, place=context.place(node))


def named_variable(name: str, context: Context) -> Symbol | None:
    """Return what a dotted name stands for that the function around, or the module, imports."""
    head, _, rest = name.partition(".")
    scope = context.scope
    while scope.parent is not None:
        if head in scope.imports:
            return context.universe.resolve(f"{scope.imports[head]}.{rest}" if rest else scope.imports[head])
        if head in scope.opaque or head in scope.values or head in scope.annotations:
            return None
        scope = scope.parent
    return context.universe.local(context.file.module, name)


@judge(ContainerContract)
def judge_container(contract: ContainerContract, pair: Comparison) -> Iterator[Finding]:
    """The container is of another type now, which lacks the method."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    was = _container(before) if before is not None else None
    now = _container(after) if after is not None else None
    if was is None or now is None or hasattr(now, contract.method):
        return
    how = "take items" if contract.method == "__setitem__" else f"have {contract.method}()"
    reason = f"{contract.symbol} was a {was.__name__} and is now a {now.__name__}, which does not {how}"
    kind, ground = ChangeKind.CONTAINER_CHANGED, Ground.TYPE_LACKS_METHOD
    yield Finding(contract, kind, contract.symbol, ground, reason, subject=contract.method)


def _container(symbol: Symbol) -> type | None:
    """The built-in type of a variable, told from its annotation or value; None where it is none of them."""
    node = symbol.nodes[-1] if symbol.kind == "variable" and symbol.nodes else None
    if not isinstance(node, Attribute):
        return None
    if node.annotation is not None:
        head = node.annotation.strip("'\"").partition("[")[0].rpartition(".")[2]
        return _TYPES.get(builtin_name(head))
    value = node.value or ""
    head, called, _ = value.partition("(")
    if called and head in _TYPES:
        return _TYPES[head]
    literal = expression(value)
    if literal is None:
        # Long values are cut; how they begin still tells lists.
        return list if value.startswith("[") else None
    return _TYPES.get(type(literal).__name__.removesuffix("Comp").lower())
