"""Impacts that say all that a rewrite rule has to know: moves, renames, parameters of overrides."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.contracts.changes import ParameterDetails
from syncbot.impact.model import Impact, Location
from syncbot.patching.proposals import propose
from syncbot.patching.registry import Rule
from syncbot.planning import accompanying_statements, handing_on, own_calls
from syncbot.planning.answer_registry import Phase, answerer
from syncbot.planning.call_arguments import hides
from syncbot.planning.function_facts import behind, names
from syncbot.planning.model import Answer, Author, Reply, joined
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.ways_through import most_on_one_way


@answerer(Phase.RULE)
def by_rule(impact: Impact, context: PlanningContext) -> Reply:
    """The rule that answers the impact, where one does. Which arguments a call has to pass now is no
    question of its name alone: such calls are answered one by one, or not."""
    if impact.contract == "call" and impact.kind.startswith("parameter-"):
        return None
    rule = propose(impact)
    if rule is None:
        return None
    if rule.name in ("override_parameter_removed", "override_parameter_added"):
        return _with_own_calls(impact, rule, context)
    return Answer((rule,))


def _behind(impact: Impact, rule: Rule, context: PlanningContext) -> str | None:
    """The parameter that a new one stands behind, by the name that the override has for it."""
    after: str | None = getattr(rule, "after", None)
    found = context.overridden_at(impact.locations[0])
    return after if found is None else behind(after, found[0], found[1].node)


def _hands_on(place: Location, base: str, context: PlanningContext) -> bool | None:
    """Whether an override calls the method of ``base`` once on each way, and hides nothing from it; None
    where it does not call it."""
    routine = context.routine_at(place)
    if routine is None:
        return False
    calls = [
        node
        for node in every_node(routine)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == routine.name
        and _is_base(node.func.value, place, base, context)
    ]
    if not calls:
        return None
    return most_on_one_way(routine.body, {*calls}) == 1 and not any(map(hides, calls))


def _is_base(receiver: ast.expr, place: Location, base: str, context: PlanningContext) -> bool:
    """Whether a method is called of ``super()``, or of the base by its name: ``Base.method(self)``."""
    if isinstance(receiver, ast.Call):
        return dotted(receiver.func) == "super"
    name = dotted(receiver)
    found = context.pair.new.local(context.module(place.file), name) if name is not None else None
    return found is not None and found.kind == "class" and found.name == base


def _known_default(impact: Impact, rule: Rule, context: PlanningContext) -> tuple[Rule, ...] | None:
    """The imports that make the names of a default known where it is written; None where they cannot be."""
    default = ast.parse(getattr(rule, "default", "") or "None", mode="eval")
    details = impact.details
    home = context.pair.now(details.base if isinstance(details, ParameterDetails) else "")
    found: dict[Rule, None] = {}
    for name in names(default):
        for place in impact.locations:
            theirs = context.pair.new.local(home.module, name.id) if home is not None else None
            mine = context.pair.new.local(context.module(place.file), name.id)
            if theirs is None or (mine is not None and mine.name != theirs.name):
                return None
            if mine is None:
                if home is None:
                    return None
                line = accompanying_statements.imported(context, place.file, name.id, home.module)
                if line is None:
                    return None
                found[line] = None
    return tuple(found)


def _with_own_calls(impact: Impact, rule: Rule, context: PlanningContext) -> Reply:
    """The rule, and what the calls that the backend makes of these overrides become."""
    known: tuple[Rule, ...] | None = ()
    answers: list[Answer] = []
    optional = False
    parameter = impact.details.subject
    if rule.name == "override_parameter_added" and len(impact.locations) == 1:
        rule = rule.model_copy(update={"after": _behind(impact, rule, context)})
    if rule.name == "override_parameter_added" and getattr(rule, "default", None) is not None:
        known = _known_default(impact, rule, context)
        handed = [_hands_on(place, getattr(rule, "base", ""), context) for place in impact.locations]
        handing = known is not None and True in handed and False not in handed
        # What is only taken, and read by nobody, may have any default.
        default = "None" if known is None else getattr(rule, "default", None)
        rule = rule.model_copy(update={"default": default, "pass_to_super": handing})
    unused: list[str] = []
    for place in impact.locations:
        if rule.name == "override_parameter_removed":
            followed = own_calls.lost(context, place, parameter)
        else:
            after, default = getattr(rule, "after", None), getattr(rule, "default", None)
            followed = own_calls.gained(context, impact, place, parameter, after, default is None)
        if isinstance(followed, Author):
            return followed
        optional = optional or followed.optional
        answers.append(followed.answer)
        if rule.name == "override_parameter_added":
            further = handing_on.to_other_calls(context, place, parameter)
            handing = getattr(rule, "pass_to_super", False)
            if not further and not (handing and _hands_on(place, getattr(rule, "base", ""), context)):
                unused.append(f"{place.file}:{place.line}")
            answers.append(Answer(further))
    if optional:
        rule = rule.model_copy(update={"default": "None"})
    notes = _unused(parameter, unused, len(impact.locations))
    return joined([Answer((rule, *(known or ())), notes=notes), *answers])


def _unused(parameter: str, places: Sequence[str], of: int) -> tuple[str, ...]:
    """The note about a parameter that is taken in so many places and not used in some."""
    where = f" in {', '.join(places)}" if len(places) < of else ""
    return (f"{parameter} is taken and not used{where}",) if places else ()
