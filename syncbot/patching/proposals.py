"""From an impact to the rewrite that answers it."""

from __future__ import annotations

from syncbot.impact.model import Fix, Impact
from syncbot.patching import registry
from syncbot.patching.registry import ApiChange, Rule


def propose(impact: Impact) -> Rule | None:
    """Return the rule that answers an impact: that of its fix if it brings one, else the first that fits."""
    if impact.fix is not None:
        return registry.find(impact.fix.rule).model_validate(dict(impact.fix.arguments))
    change = ApiChange(impact.kind, impact.symbol, impact.details, impact.contract, impact.classes)
    answers = (rule.answer(change) for rule in registry.rules().values())
    return next((answer for answer in answers if answer is not None), None)


def fix(rule: Rule) -> Fix:
    """Return a rule as impacts and patch files carry it."""
    return Fix(rule.name, rule.model_dump(mode="json", exclude_defaults=True))
