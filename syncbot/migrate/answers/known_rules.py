"""Impacts that say all that a rewrite rule has to know: moves, renames, parameters of overrides."""

from __future__ import annotations

from syncbot.impact.model import Impact
from syncbot.migrate import own_calls
from syncbot.migrate.answers import Answer, Author, Name, Reply, answerer
from syncbot.migrate.routines import behind
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


def _behind(impact: Impact, rule: Rule, world: World) -> str | None:
    """The parameter that a new one stands behind, by the name that the override has for it."""
    after: str | None = getattr(rule, "after", None)
    found = world.overridden_at(impact.locations[0])
    return after if found is None else behind(after, found[0], found[1].node)


def _with_own_calls(impact: Impact, rule: Rule, world: World) -> Reply:
    """The rule, and what the calls that the backend makes of these overrides become."""
    rules: list[Rule] = [rule]
    files: list[str] = []
    needs: list[Name] = []
    parameter = impact.details.get("parameter", "")
    if rule.name == "override_parameter_added" and len(impact.locations) == 1:
        rules[0] = rule = rule.model_copy(update={"after": _behind(impact, rule, world)})
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
