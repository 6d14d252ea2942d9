"""Impacts that say all that a rewrite rule has to know: moves, renames, parameters of overrides."""

from __future__ import annotations

from syncbot.impact.model import Impact
from syncbot.migrate.answers import Answer, Reply, answerer
from syncbot.migrate.world import World
from syncbot.patching.fixes import propose


@answerer(50)
def by_rule(impact: Impact, world: World) -> Reply:
    """The rule that answers the impact, where one does. Which arguments a call has to pass now is no
    question of its name alone: such calls are answered one by one, or not."""
    if impact.details.get("contract") == "call" and impact.kind.startswith("parameter-"):
        return None
    rule = propose(impact)
    return None if rule is None else Answer((rule,))
