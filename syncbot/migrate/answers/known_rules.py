"""Impacts that say all that a rewrite rule has to know: moves, renames, parameters of overrides."""

from __future__ import annotations

from syncbot.impact.model import Impact
from syncbot.migrate import own_calls
from syncbot.migrate.answers import Answer, Author, Name, Reply, answerer
from syncbot.migrate.world import World
from syncbot.patching.fixes import propose
from syncbot.patching.registry import Rule


@answerer(50)
def by_rule(impact: Impact, world: World) -> Reply:
    """The rule that answers the impact, where one does. Which arguments a call has to pass now is no
    question of its name alone: such calls are answered one by one, or not."""
    if impact.details.get("contract") == "call" and impact.kind.startswith("parameter-"):
        return None
    rule = propose(impact)
    if rule is None:
        return None
    if rule.name in ("override_parameter_removed", "override_parameter_added"):
        return _with_own_calls(impact, rule, world)
    return Answer((rule,))


def _with_own_calls(impact: Impact, rule: Rule, world: World) -> Reply:
    """The rule, and what the calls that the backend makes of these overrides become."""
    rules: list[Rule] = [rule]
    files: list[str] = []
    needs: list[Name] = []
    parameter = impact.details.get("parameter", "")
    for place in impact.locations:
        if rule.name == "override_parameter_removed":
            followed = own_calls.lost(world, place, parameter)
        else:
            after, default = getattr(rule, "after", None), getattr(rule, "default", None)
            followed = own_calls.gained(world, impact, place, parameter, after, default is None)
        if isinstance(followed, str):
            return Author(followed)
        if followed.optional:
            rules[0] = rules[0].model_copy(update={"default": "None"})
        rules += followed.rules
        files += followed.files
        needs += followed.needs
    return Answer(tuple(dict.fromkeys(rules)), tuple(dict.fromkeys(needs)), tuple(dict.fromkeys(files)))
