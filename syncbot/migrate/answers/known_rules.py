"""Impacts that say all that a rewrite rule has to know: moves, renames, parameters of overrides."""

from __future__ import annotations

from syncbot.impact.model import Impact
from syncbot.migrate import own_calls
from syncbot.migrate.answers import Answer, Author, Reply, answerer
from syncbot.migrate.world import World
from syncbot.patching.fixes import propose


@answerer(50)
def by_rule(impact: Impact, world: World) -> Reply:
    """The rule that answers the impact, where one does. Which arguments a call has to pass now is no
    question of its name alone: such calls are answered one by one, or not."""
    if impact.details.get("contract") == "call" and impact.kind.startswith("parameter-"):
        return None
    rule = propose(impact)
    if rule is None:
        return None
    gone = rule.name == "override_parameter_removed"
    required = rule.name == "override_parameter_added" and getattr(rule, "default", None) is None
    for place in impact.locations if gone or required else ():
        name = impact.details.get("parameter", "")
        own = own_calls.against(world, place, name, gone=gone, required=required)
        if own is not None:
            return Author(f"the backend itself calls it {'with' if gone else 'without'} {name} ({own})")
    return Answer((rule,))
