"""Impacts together with the rewrites that would mend them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from syncbot.impact.model import Fix, Impact, Verdict
from syncbot.patching.propose import propose


def with_fixes(impacts: Sequence[Impact]) -> list[Impact]:
    """The impacts; what breaks has a fix where a rule answers it."""
    return [_with_fix(i) if i.verdict is Verdict.BREAKS and i.fix is None else i for i in impacts]


def _with_fix(impact: Impact) -> Impact:
    rule = propose(impact)
    if rule is None:
        return impact
    arguments = rule.model_dump(exclude_defaults=True)
    return replace(impact, fix=Fix(rule.name, arguments))
