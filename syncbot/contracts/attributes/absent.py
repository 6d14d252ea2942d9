"""Attributes that upstream's modules and objects do not have: no change took them away, so that they are only
looked for in code that has not run before."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import dotted
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.asked_of_values import surely_lacks
from syncbot.contracts.calls.uses_of_names import tested_in
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.conditions.guards import tests_for
from syncbot.contracts.context import Context
from syncbot.contracts.model import Contract
from syncbot.contracts.registry import audit
from syncbot.contracts.spelled_names import is_gone


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsentAttributeContract(Contract):
    """A read of ``symbol``, an attribute of a module, or of objects of a class."""


def absent_attributes(node: ast.Attribute, context: Context) -> Iterator[AbsentAttributeContract]:
    """Yield what is read of upstream's modules and objects, and of objects of the backend's own classes that
    derive from upstream's, and that they do not have in this universe."""
    base = context.infer(node.value) if isinstance(node.ctx, ast.Load) else None
    if base is None or _is_tolerant(node, context):
        return
    universe, symbol = context.universe, base.symbol
    if base.instance and symbol.kind == "class":
        lineage = universe.lineage(symbol).classes
        lacks = universe.member(symbol, node.attr, base.skip) is None and surely_lacks(
            universe, symbol, node.attr
        )
        known = any(context.is_upstream(class_.module) for class_ in lineage)
        # What is declared to be upstream's may be an object of ours.
        ours = context.is_upstream(symbol.module) and node.attr in context.own_names
        absent = known and lacks and not ours
    elif not base.instance and symbol.kind == "module" and context.is_upstream(symbol.module):
        absent = is_gone(universe, universe.attribute(symbol, node.attr))
    else:
        absent = False
    if absent:
        yield AbsentAttributeContract(symbol=f"{symbol.name}.{node.attr}", place=context.place(node))


def _is_tolerant(node: ast.Attribute, context: Context) -> bool:
    """Whether the code asks for the attribute first, catches that it is not there, or tells apart what the
    object is: that is one thing here and another one there."""
    return (
        tests_for(context.guards, node.attr)
        or catches_attribute_error(context.parents, node)
        or dotted(node.value) in tested_in(context.function)
    )


@audit(AbsentAttributeContract)
def audit_absent_attribute(contract: AbsentAttributeContract, universe: Universe) -> Iterator[str]:
    """It is not there: else there were no such contract."""
    yield f"{contract.symbol} does not exist"
