"""Methods of mixins of the backend that override upstream ones only where a class derives from both."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.model import Function
from syncbot.api.symbols import Symbol
from syncbot.contracts.context import Context
from syncbot.contracts.kinds.overrides import OverrideContract
from syncbot.contracts.kinds.subclasses import first_upstream
from syncbot.contracts.model import Place
from syncbot.contracts.overrides.upstream_members import upstream_member
from syncbot.contracts.registry import finder


@finder(ast.ClassDef)
def find_mixed_in(node: ast.ClassDef, context: Context) -> Iterator[OverrideContract]:
    """``class Mine(Mixin, Theirs)``: what the mixin, which knows nothing of upstream, hides of ``Theirs``."""
    own = context.own_class(node.name) if len(node.bases) > 1 else None
    if own is None or first_upstream(own, context.universe, context.upstream) is None:
        return
    seen: set[str] = set()
    for mixin in _mixins(own, context):
        body = context.universe.body(mixin)
        for function in body.functions if body is not None else ():
            if function.name in seen:
                continue
            seen.add(function.name)
            mine = context.universe.member(own, function.name)
            base = upstream_member(own, function.name, context.universe, context.upstream)
            if base is not None and mine is not None and mine.owner.name == mixin.name:
                yield OverrideContract(
                    symbol=base.symbol,
                    receiver=own.name,
                    name=function.name,
                    upstream=context.upstream,
                    mixin=mixin.name,
                    place=_place(mixin, function, node, context),
                )


def _mixins(own: Symbol, context: Context) -> Iterator[Symbol]:
    """The classes of the backend in front of the first upstream class that derive from none, and come to it
    here: a base that has both already has contracts of its own."""
    universe = context.universe
    known: set[str] = set()
    for _, base in universe.bases(own):
        if base is not None and first_upstream(base, universe, context.upstream) is not None:
            known.update(c.name for c in universe.lineage(base).classes)
    for class_ in universe.lineage(own).classes[1:]:
        if context.is_upstream(class_.module):
            return
        if class_.name not in known and first_upstream(class_, universe, context.upstream) is None:
            yield class_


def _place(mixin: Symbol, function: Function, node: ast.ClassDef, context: Context) -> Place:
    """The method, or the class that mixes it in where that one stands in another file."""
    if mixin.module != context.file.module:
        return context.place(node)
    whole = context.line(function.line)
    return Place(whole.location, whole.module, f"{mixin.qualname}.{function.name}", whole.guards)
