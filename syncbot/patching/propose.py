"""From a finding of the analysis to the rewrite that answers it."""

from __future__ import annotations

from syncbot.impact.model import Fix, Impact
from syncbot.patching import registry
from syncbot.patching.registry import ApiChange, Rule


def propose(impact: Impact) -> Rule | None:
    """Return the rule that answers an impact: that of its fix if it brings one, else the first that fits.

    The analysis may be sure that no rule fits; then None is returned and the patch needs an author.
    """
    if impact.fix is not None:
        return registry.find(impact.fix.rule).model_validate(dict(impact.fix.arguments))
    change = ApiChange(impact.kind, impact.symbol, impact.details, impact.locations)
    for cls in registry.rules().values():
        rule = cls.propose(change)
        if rule is not None:
            return rule
    return None


def fix(rule: Rule) -> Fix:
    """Return a rule as an impact and a patch file carry it."""
    return Fix(rule.name, rule.model_dump(mode="json", exclude_defaults=True))
