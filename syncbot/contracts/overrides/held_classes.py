"""Constructors that upstream calls by what is declared to hold a class (``type[Base]``)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.every_node import every_node
from syncbot.api.model import Call, Function
from syncbot.api.universe import Universe
from syncbot.contracts.comparison import Comparison, Side
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.inference.named_values import named_in
from syncbot.contracts.overrides.changed_function import ChangedFunction


def held_calls(change: ChangedFunction, pair: Comparison, *, old: bool) -> Iterator[tuple[str, Call]]:
    """The calls of what is declared as a class that the constructed one derives from."""
    if not change.symbol.endswith(".__init__"):
        return
    side = pair.side(old=old)
    universe, tree = side.universe, side.tree
    made = universe.resolve(change.made_as.name if change.made_as is not None else change.target)
    kin = {c.name: c for c in universe.lineage(made).classes} if made is not None else {}
    names = {c.qualname for c in kin.values() if tree.owns(c.module)}
    texts = [f"ype[{quote}{name}{quote}]" for name in names for quote in ("", '"', "'")]
    for module in tree.mentioning(side.differing, *texts) if texts else ():
        for call in _of_held(module, side, set(kin)):
            tree.note((module,))
            yield module, call


def _of_held(module: str, side: Side, kin: set[str]) -> Iterator[Call]:
    for _, call in side.usage.all_calls((module,)):
        if "?" in call.callee or not call.scope or side.universe.local(module, call.callee) is not None:
            continue
        written = _given(module, call, side.universe) or call.callee
        held = named_in(side.inference, module, call.scope, written)
        if held is not None and not held.instance and held.symbol.name in kin:
            yield call


def _given(module: str, call: Call, universe: Universe) -> str | None:
    """Return what a method gives the variable that it calls, if it gives it one thing only."""
    owner, _, method = call.scope.rpartition(".")
    class_ = universe.local(module, owner) if owner and call.callee.isidentifier() else None
    functions = [n for n in universe.defined(class_, method) if isinstance(n, Function)] if class_ else []
    if len(functions) != 1 or class_ is None:
        return None
    node = function_node(universe, class_.module, functions[0], class_.qualname)
    given = list[ast.expr]()
    for inner in every_node(node) if node is not None else ():
        match inner:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == call.callee:
                given.append(value)
            case ast.Name(id=name, ctx=ast.Store()) if name == call.callee:
                given.append(inner)
    return ast.unparse(given[0]) if len(given) == 2 else None
