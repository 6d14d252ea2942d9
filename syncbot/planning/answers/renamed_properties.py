"""Properties that became methods, or methods that became properties, and got another name by the way. The
same body stands in upstream's class under the other name, and neither takes more than the object."""

from __future__ import annotations

from syncbot.contracts.changes import ChangeKind
from syncbot.impact.model import Impact
from syncbot.patching import registry
from syncbot.patching.rewrites.attribute_renamed import AttributeRenamed
from syncbot.planning.answer_registry import Phase, answerer
from syncbot.planning.model import Answer, Reply
from syncbot.planning.planning_context import PlanningContext

_RULES = {((), ("property",)): "method_to_property", (("property",), ()): "property_to_method"}


@answerer(Phase.DEFINITION)
def renamed_with_its_nature(impact: Impact, context: PlanningContext) -> Reply:
    """The new name, and the parentheses that reading it has now or has no more."""
    if impact.kind not in (ChangeKind.METHOD_REMOVED, ChangeKind.ATTRIBUTE_REMOVED):
        return None
    owner, _, name = impact.symbol.rpartition(".")
    before = context.pair.old.resolve(owner)
    member = context.pair.old.member(before, name) if before is not None else None
    now = context.pair.same_body(member) if member is not None and member.functions else None
    if member is None or now is None or len(member.functions) != 1 or len(now.parameters) != 1:
        return None
    rule = _RULES.get((member.functions[0].decorators, now.decorators))
    if rule is None:
        return None
    base = member.owner.name
    nature = registry.find(rule).model_validate({"base": base, "attribute": now.name})
    return Answer((AttributeRenamed(base=base, old=name, new=now.name), nature))
