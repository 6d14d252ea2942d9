"""Properties that are gone, and that gave nothing but another attribute of the object: that one is read."""

from __future__ import annotations

import ast

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.kinds.attributes import AttributeContract
from syncbot.impact.model import Impact, Location
from syncbot.patching.rewrites.attribute_replaced import AttributeReplaced
from syncbot.planning.answer_registry import Phase, place_answerer
from syncbot.planning.model import Answer, Reply
from syncbot.planning.planning_context import PlanningContext


@place_answerer(Phase.DELEGATION, (ChangeKind.ATTRIBUTE_REMOVED,), "attribute")
def forwarded(impact: Impact, place: Location, context: PlanningContext) -> Reply:
    """Return the rewrite to the attribute that the property returned, which the object still has."""
    name = impact.details.subject
    contracts = context.contracts_at(place, AttributeContract)
    contract = next((c for c in contracts if c.instance and c.name == name and c.use == "read"), None)
    node = context.attribute_at(place, name)
    after = _given(impact, contract, context) if contract is not None else None
    if contract is None or after is None or node is None or not isinstance(node.ctx, ast.Load):
        return None
    read = (ast.unparse(node.value),)
    return Answer((AttributeReplaced(base=contract.receiver, before=name, after=after, receivers=read),))


def _given(impact: Impact, contract: AttributeContract, context: PlanningContext) -> str | None:
    """The attribute that the property returned before the guilty commit, if the class still has it."""
    ends = context.guilty(impact)
    if ends is None:
        return None
    old = ends[0]
    home, later = old.resolve(contract.receiver), context.pair.now(contract.receiver)
    member = old.member(home, contract.name) if home is not None else None
    getters = [f for f in member.functions if "property" in f.decorators] if member is not None else []
    if member is None or later is None or len(getters) != 1:
        return None
    node = context.upstream_node(old, member.owner.module, getters[0])
    body = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))] \
        if node is not None else []  # fmt: skip
    match body:
        case [ast.Return(value=ast.Attribute(value=ast.Name(id="self"), attr=attribute))]:
            return attribute if context.pair.new.member(later, attribute) is not None else None
    return None
