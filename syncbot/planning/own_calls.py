"""Calls that the backend makes of its own functions: the judges ask upstream's contracts only. Where the
parameters of one of them change, its own calls change with it: what it no longer takes is left out, what it
takes in between is why later arguments are named, and what it requires is passed as upstream passes it to its
own function in the method that ours overrides."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.impact.model import Impact, Location
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.call_argument_added import CallArgumentAdded
from syncbot.patching.rewrites.call_arguments_by_keyword import CallArgumentsByKeyword
from syncbot.patching.rewrites.call_changed import CallChanged
from syncbot.planning.argument_values import Surroundings
from syncbot.planning.call_arguments import arguments, hides, written
from syncbot.planning.enclosing_function import Precedent, Value
from syncbot.planning.function_facts import parameters
from syncbot.planning.model import Answer, Author, joined
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine, callee


@dataclass(frozen=True, slots=True)
class Followed:
    """How the backend's own calls follow; ``optional`` says that some go without a parameter which nothing
    hands on: it needs a default."""

    answer: Answer
    optional: bool = False


@dataclass(frozen=True, slots=True)
class _Called:
    """A function of the backend and what its calls are found by."""

    routine: Routine
    owners: tuple[str, ...]
    names: tuple[str, ...]
    callee: str
    aliases: tuple[str, ...]
    classes: tuple[str, ...]

    @property
    def plain(self) -> bool:
        """Whether it is called by its name alone: a class or a function."""
        return not self.owners or self.routine.name == "__init__"


def calls_at(context: PlanningContext, place: Location) -> Iterator[tuple[str, ast.Call, bool]]:
    """The backend's calls that may reach the function at a place, with their files, and whether they do."""
    called = _called(place, context)
    return iter(()) if called is None else _calls(context, called)


def lost(context: PlanningContext, place: Location, parameter: str) -> Followed | Author:
    """Return how the calls change when the function at a place loses a parameter, or why they cannot."""
    called = _called(place, context)
    if called is None:
        return Followed(Answer(()))
    at = called.names.index(parameter) if parameter in called.names else len(called.names)
    answers: list[Answer] = []
    for file, call, surely in _calls(context, called):
        by_name = any(keyword.arg == parameter for keyword in call.keywords)
        if not by_name and not hides(call) and len(call.args) <= at:
            continue
        if not surely or hides(call):
            return Author(f"the project itself calls it with {parameter} ({file}:{call.lineno})")
        named = () if by_name else (_named(called, at),)
        answers.append(Answer((*named, _passed(called, parameter, "None").mirror()), files=(file,)))
    return Followed(joined(answers))


def gained(
    context: PlanningContext,
    impact: Impact,
    place: Location,
    parameter: str,
    after: str | None,
    required: bool,
) -> Followed | Author:
    """Return how the calls change when a function gains a parameter behind ``after``, or why they cannot."""
    called = _called(place, context)
    if called is None:
        return Followed(Answer(()))
    at = called.names.index(after) + 1 if after in called.names else len(called.names)
    at = 0 if after in ("self", "cls") else at
    handed_on = _hands_on(called.routine)
    answers: list[Answer] = []
    optional = False
    for file, call, surely in _calls(context, called):
        if surely and not called.plain and context.own_class(file, call) is None:
            if not required and not hides(call) and len(call.args) <= at:
                # It goes without what it never passed: the default of it is for such calls.
                continue
            # What stands in for a method of upstream: no rule proves its receiver.
            anew = _bound_anew(context, impact, file, call)
            if isinstance(anew, Author):
                return anew
            answers.append(anew)
            continue
        shifted = len(call.args) > at
        lacks = required and not any(keyword.arg == parameter for keyword in call.keywords)
        if (shifted or (lacks and handed_on)) and (not surely or hides(call)):
            return Author(f"the project itself calls it without {parameter} ({file}:{call.lineno})")
        if shifted:
            answers.append(Answer((_named(called, at),), files=(file,)))
        if lacks and handed_on:
            around = Surroundings(context, file, call)
            value = _value(context, impact, called, around, parameter)
            along = around.rules([value]) if value is not None else None
            if value is None or along is None:
                return Author(f"the project itself calls it without {parameter} ({file}:{call.lineno})")
            passed = _passed(called, parameter, value.text)
            answers.append(Answer((*along, passed), value.needs, (file,)))
        optional = optional or (lacks and not handed_on)
    found = joined(answers)
    if sum(rule.name == "call_argument_added" for rule in found.rules) > 1:
        return Author(f"the project's own calls would have to pass {parameter} in several ways")
    return Followed(found, optional)


def _called(place: Location, context: PlanningContext) -> _Called | None:
    syntax = context.syntax(place.file)
    routine = syntax.routine_at(place) if syntax is not None else None
    if syntax is None or routine is None:
        return None
    around = syntax.definitions(routine)
    module = context.module(place.file)
    names = tuple(parameters(routine))
    if not around or not isinstance(around[-1], ast.ClassDef):
        return _Called(routine, (), names, f"{module}.{routine.name}", (routine.name,), ())
    owners = tuple(d.name for d in around)
    qualname = ".".join(owners)
    own = f"{module}.{qualname}"
    names = names if any(dotted(d) == "staticmethod" for d in routine.decorator_list) else names[1:]
    if routine.name == "__init__":
        return _Called(routine, owners, names, own, (qualname,), ())
    return _Called(routine, owners, names, f"{own}.{routine.name}", (), (own,))


def _calls(context: PlanningContext, called: _Called) -> Iterator[tuple[str, ast.Call, bool]]:
    """The calls that may reach the function, and whether they surely do. A class or function by its name; a
    method on ``self`` and ``cls`` in classes that are or derive from its own, which others surely do not
    reach."""
    name = called.owners[-1] if called.owners and called.plain else called.routine.name
    for file in context.trees.backend.files:
        if file.is_test or f"{name}(".encode() not in file.text:
            continue
        for node in context.calls_of(file.path, name):
            receiver = dotted(node.func.value) if isinstance(node.func, ast.Attribute) else None
            if called.plain:
                yield file.path, node, _names_it(context, called, file.path, node)
            elif receiver in ("self", "cls"):
                reach = _reaches(context, called, file.path, node)
                if reach is not False:
                    yield file.path, node, bool(reach)


def _names_it(context: PlanningContext, called: _Called, file: str, call: ast.Call) -> bool:
    text = dotted(call.func)
    found = context.pair.new.local(context.module(file), text) if text is not None else None
    if text is None or found is None or found.name != called.callee:
        return False
    # A relative import is no name that the rewrite finds.
    relative = [n for n in context.nodes(file) if isinstance(n, ast.ImportFrom) and n.level]
    return text.partition(".")[0] not in [a.asname or a.name for n in relative for a in n.names]


def _reaches(context: PlanningContext, called: _Called, file: str, call: ast.Call) -> bool | None:
    """Whether ``self`` of a call is of the function's class; None where that cannot be told."""
    own = context.pair.new.resolve(called.classes[0])
    around = context.own_class(file, call)
    if own is not None and around is None:
        home = Surroundings(context, file, call).own
        if home is not None and home.name in {c.name for c in context.pair.new.lineage(own).classes}:
            # In place of a method of upstream's class: what our function overrides has the same parameters.
            return True
    if own is None or around is None:
        return None
    ours = {c.name for c in context.pair.new.lineage(own).classes}
    theirs = [c.name for c in context.pair.new.lineage(around).classes]
    if own.name in theirs:
        member = context.pair.new.member(around, called.routine.name)
        return True if member is not None and member.owner.name == own.name else None
    return None if around.name in ours else False


def _bound_anew(context: PlanningContext, impact: Impact, file: str, call: ast.Call) -> Answer | Author:
    """The call with all that upstream's method requires now, as upstream passes it in the same place."""
    where = f"{file}:{call.lineno}"
    signatures = context.signatures(impact, None)
    bound = arguments(call, signatures[0]) if signatures is not None else None
    if signatures is None or bound is None:
        return Author(f"the project itself calls it with other arguments ({where})")
    old, new = signatures
    around = Surroundings(context, file, call)
    precedent = around.precedent({callee(call)}, old, new)
    missing = [p.name for p in new.parameters if p.required and p.name not in bound]
    lost = [name for name in bound if name not in new.names]
    values = {name: ast.unparse(value) for name, value in bound.items()}
    brought: list[Value] = []
    for name in missing:
        value = _passed_by_upstream(name, precedent, around)
        if value is None:
            return Author(f"the project itself calls it without {name} ({where})")
        values[name] = value.text
        brought.append(value)
    if lost:
        return Author(f"the project itself calls it with {lost[0]} ({where})")
    after = written(call, old, new, values)
    along = around.rules(brought)
    if after is None or along is None or not missing:
        return Author(f"the project's own call cannot be written anew ({where})")
    changed = CallChanged(file=file, within=around.within, before=ast.unparse(call), after=after)
    return Answer((*along, changed), tuple(need for value in brought for need in value.needs), (file,))


def _passed_by_upstream(name: str, precedent: Precedent | None, around: Surroundings) -> Value | None:
    """Return the value that upstream's own call passes for a parameter, where it means the same here."""
    shown = precedent.after.get(name) if precedent is not None else None
    return around.means_the_same(shown, precedent.function) if precedent and shown is not None else None


def _named(called: _Called, at: int) -> Rule:
    return CallArgumentsByKeyword(
        callee=called.callee, aliases=called.aliases, classes=called.classes,
        position=at, arguments=called.names[at:],
    )  # fmt: skip


def _passed(called: _Called, parameter: str, value: str) -> Rule:
    return CallArgumentAdded(
        callee=called.callee, aliases=called.aliases, classes=called.classes,
        argument=parameter, value=value,
    )  # fmt: skip


def _hands_on(routine: Routine) -> bool:
    """Whether a method calls the one that it overrides, which may need what it is given."""
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        and node.func.attr == routine.name and isinstance(node.func.value, ast.Call)
        for node in every_node(routine)
    )  # fmt: skip


def _value(
    context: PlanningContext, impact: Impact, called: _Called, around: Surroundings, parameter: str
) -> Value | None:
    """Return the value that upstream passes to its own function in the method that ours overrides."""
    signatures = context.signatures(impact, None)
    if signatures is None:
        return None
    parts = impact.symbol.removesuffix(".__init__").split(".")
    names = {parts[-1], called.owners[-1]} if called.plain else {parts[-1]}
    precedent = around.precedent(names, *signatures, impact.symbol.removesuffix(".__init__"))
    if precedent is None or parameter not in precedent.after:
        return None
    return around.means_the_same(precedent.after[parameter], precedent.function)
