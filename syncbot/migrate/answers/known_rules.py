"""Impacts that say all that a rewrite rule has to know: moves, renames, parameters of overrides."""

from __future__ import annotations

from syncbot.impact.model import Impact
from syncbot.migrate.answers import Answer, Reply, answerer
from syncbot.migrate.world import World
from syncbot.patching.fixes import propose


@answerer(50)
def by_rule(impact: Impact, world: World) -> Reply:
    """The rule that answers the impact, where one does."""
    rule = propose(impact)
    return None if rule is None else Answer((rule,))
