"""Calls that no longer bind, or bind to other parameters: bound anew to what upstream takes now."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from syncbot.api.signatures import Signature
from syncbot.contracts.calls.targets import CallContract
from syncbot.contracts.changes import ArgumentDetails, ChangeKind, ParameterKind
from syncbot.impact.model import Impact, Location
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.proposals import propose
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.call_changed import CallChanged
from syncbot.patching.rewrites.function_parameter_added import FunctionParameterAdded
from syncbot.patching.source import Source
from syncbot.planning import own_calls
from syncbot.planning.answer_registry import Phase, answerer
from syncbot.planning.argument_values import Surroundings
from syncbot.planning.call_arguments import arguments, hides, written
from syncbot.planning.call_binding import HIDDEN, Binding, binding_at, call_at
from syncbot.planning.dropped_arguments import renamed_by_all
from syncbot.planning.enclosing_function import Value
from syncbot.planning.function_facts import behind, parameters
from syncbot.planning.handed_down import handed_down
from syncbot.planning.model import Answer, Author, Reply, joined
from syncbot.planning.parts_of_arguments import part_of
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.values_through_objects import passed_by_owner

_KINDS = (
    ChangeKind.PARAMETER_ADDED,
    ChangeKind.PARAMETER_REQUIRED,
    ChangeKind.PARAMETER_REMOVED,
    ChangeKind.PARAMETER_RENAMED,
    ChangeKind.PARAMETER_REORDERED,
)


@answerer(Phase.DEFINITION)
def rebound(impact: Impact, context: PlanningContext) -> Reply:
    """Every call of the impact, with all its arguments where the new signature wants them."""
    contract = impact.contract
    if impact.kind not in _KINDS or contract not in ("call", ""):
        return None
    if impact.kind is ChangeKind.PARAMETER_REORDERED and _contradict(impact, context):
        return Author(
            "the calls pass one value for different parameters, so that some are written for another version"
        )
    answers: list[Answer] = []
    for place in impact.locations:
        reply = _at(impact, place, context)
        if reply is None and not contract:
            return None
        if not isinstance(reply, Answer):
            return reply or _not_found(place, context)
        answers.append(reply)
    every = joined(answers)
    dropped = propose(impact) if impact.kind is ChangeKind.PARAMETER_REMOVED and not every.files else None
    exact = [rule for rule in every.rules if _only_drops(rule, impact.details.subject)]
    if dropped is not None and len(exact) == len(every.rules):
        # One rule that names the parameter holds for every call and every lane, where it finds them all.
        named = _by_all_names(dropped, impact, context)
        if _finds_all(named, exact, context):
            return replace(every, rules=(named,))
    return every


def _finds_all(named: Rule, exact: Sequence[Rule], context: PlanningContext) -> bool:
    """Whether a rule that knows its calls by what they call leaves none to those that name their text."""
    for path in {getattr(rule, "file", "") for rule in exact}:
        try:
            after = Source(named.forward(context.source(path)), path)
        except (NoMatch, CannotRewrite):
            return False
        if any(_fits(rule, after) for rule in exact if getattr(rule, "file", "") == path):
            return False
    return True


def _fits(rule: Rule, source: Source) -> bool:
    try:
        rule.forward(source)
    except (NoMatch, CannotRewrite):
        return False
    return True


def _not_found(place: Location, context: PlanningContext) -> Author:
    """Why no call at a place is the one that an impact is about."""
    spot = (place.line, place.column - 1)
    syntax = context.syntax(place.file)
    around = syntax.calls_around(place) if syntax is not None else ()
    through = [ast.unparse(c.func) for c in around if (c.lineno, c.col_offset) == spot]
    where = f"{place.file}:{place.line}"
    if through:
        return Author(f"{where}: the arguments are handed to {through[0]}, which makes the call")
    return Author(f"{where}: the call cannot be found")


def _by_all_names(rule: Rule, impact: Impact, context: PlanningContext) -> Rule:
    """A rule about calls, with the names by which they reach what they call through other modules."""
    home = impact.symbol.removesuffix(".__init__")
    called = [c for place in impact.locations for c in context.contracts_at(place, CallContract)]
    names = {name for c in called if not c.receiver for name in (c.symbol, *c.aliases)} - {
        home,
        impact.symbol,
    }
    leading = ((name, context.pair.old.resolve(name)) for name in sorted(names))
    aliases = tuple(
        name for name, found in leading
        if found is not None and found.name == home and context.pair.old_tree.owns(name)
    )  # fmt: skip
    return rule.model_copy(update={"aliases": aliases}) if aliases else rule


def _only_drops(rule: Rule, name: str) -> bool:
    """Whether a rule does no more to a call than leave out one argument that is passed by name."""
    if not isinstance(rule, CallChanged):
        return False
    call = ast.parse(rule.before, mode="eval").body
    assert isinstance(call, ast.Call)
    kept = [keyword for keyword in call.keywords if keyword.arg != name]
    fewer = ast.Call(call.func, call.args, kept)
    return len(kept) < len(call.keywords) and not hides(call) and ast.unparse(fewer) == rule.after


def _contradict(impact: Impact, context: PlanningContext) -> bool:
    """Whether the calls of an impact pass one and the same variable for different parameters, as calls in the
    two arms of a test of versions do."""
    meant: dict[str, str] = {}
    for place in impact.locations:
        contract = next(iter(context.contracts_at(place, CallContract)), None)
        call, signatures = call_at(impact, contract, place, context), context.signatures(impact, contract)
        bound = arguments(call, signatures[0]) if call is not None and signatures is not None else None
        for name, value in (bound or {}).items():
            named = isinstance(value, ast.Name | ast.Attribute)
            if named and meant.setdefault(ast.unparse(value), name) != name:
                return True
    return False


def _at(impact: Impact, place: Location, context: PlanningContext) -> Reply:
    binding = binding_at(impact, place, context)
    if not isinstance(binding, Binding):
        return binding
    values = _values(binding)
    if isinstance(values, Author):
        return values
    call, around = binding.call, binding.around
    after = written(call, binding.old, binding.new, {name: value.text for name, value in values.items()})
    if after is None:
        return Author("the arguments cannot be written in the new order")
    before = ast.unparse(call)
    if after == before:
        return Author(HIDDEN if hides(call) else "the call binds to the new signature as it is")
    needs = tuple(need for value in values.values() for need in value.needs)
    rule = CallChanged(file=place.file, within=around.within or None, before=before, after=after)
    taken = _taken(impact, place, context, around, [v for v in values.values() if v.handed_on], binding.new)
    if isinstance(taken, Author):
        return taken
    along = around.rules(values.values())
    if along is None:
        return Author("what upstream makes before its own call has no place before this one")
    return Answer((*along, rule, *taken.rules), (*needs, *taken.needs), taken.files)


def _taken(
    impact: Impact,
    place: Location,
    context: PlanningContext,
    around: Surroundings,
    values: list[Value],
    new: Signature,
) -> Answer | Author:
    """Return the rewrites that add the passed-on parameters to the enclosing method and to calls of it."""
    answers: list[Answer] = []
    routine = around.routine
    wanted = [v.text for v in values if routine is not None and v.text not in parameters(routine)]
    for name in wanted:
        assert routine is not None
        parameter = new.get(name)
        if parameter is None or parameter.kind not in ("pos", "any", "key"):
            return Author(f"upstream's own signature has no {name}")
        names = [p.name for p in new.parameters]
        after = names[names.index(name) - 1] if names.index(name) else "self"
        default = parameter.default if parameter.default in ("None", "True", "False") else None
        if around.old is not None:
            after = behind(after, routine, around.old.node) or after
        own = Location(place.file, routine.lineno, 1)
        followed = own_calls.gained(context, impact, own, name, after, default is None)
        if isinstance(followed, Author):
            return followed
        taken = FunctionParameterAdded(
            file=place.file, function=around.within, parameter=name, default=default, after=after,
            kind=ParameterKind(parameter.kind),
        )  # fmt: skip
        answers += [Answer((taken,)), followed.answer]
    return joined(answers)


def _values(binding: Binding) -> dict[str, Value] | Author:
    """Parameter of the new signature → what to pass, or why that is not known."""
    values, lost = _kept(binding)
    precedent, new = binding.precedent, binding.new
    extra = precedent.after.keys() - precedent.before.keys() if precedent is not None else set()
    required = binding.required
    for name in [p.name for p in new.parameters if p.name in required | extra and p.name not in values]:
        value = _required(name, binding, lost) if name in required else _value(name, binding)
        if value is not None:
            values[name] = value
        elif name in required:
            return Author(f"it now requires {name}, and nothing shows what to pass here")
        if lost and name not in required and (value is None or value.statements):
            # What one value was for may have gone into a statement of its own, to other effect.
            return Author(
                f"upstream passes {name} now in place of {', '.join(lost)}, and nothing shows its value here"
            )
    why = _not_simply_gone(binding, lost, values) if lost else None
    return Author(why) if why is not None else values


def _kept(binding: Binding) -> tuple[dict[str, Value], list[str]]:
    """Return the values that the call already passes, by new parameter, and the names that none takes now."""
    values: dict[str, Value] = {}
    lost: list[str] = []
    for name, expression in binding.bound.items():
        now = name if binding.still_takes(name) else _renamed(binding, name, expression)
        if now is not None:
            values[now] = Value(ast.unparse(expression))
        else:
            lost.append(name)
    return values, lost


def _value(name: str, binding: Binding) -> Value | None:
    precedent = binding.precedent
    value = binding.around.handed_on(binding.call, name)
    if value is None and precedent is not None and name in precedent.after:
        value = binding.around.means_the_same(precedent.after[name], precedent.function)
    return value


def _required(name: str, binding: Binding, lost: Sequence[str]) -> Value | None:
    """Return the value to pass for a required parameter; None where none is found."""
    around, call, precedent = binding.around, binding.call, binding.precedent
    if (value := _value(name, binding)) is not None:
        return value
    text = passed_by_owner(binding.context, around.path, around.routine, call, name)
    if text is not None:
        return Value(text)
    if precedent is not None and name in precedent.after:
        return None
    part = part_of(binding.context, binding.impact.symbol, name, binding.bound, lost)
    if part is not None:
        return Value(part)
    found = around.of_the_name(call, binding.new.get(name))
    return found or handed_down(binding.context, around, call, name, binding.new)


def _renamed(binding: Binding, name: str, expression: ast.expr) -> str | None:
    """The new name of an argument, if upstream's own call passes the very same expression by it now, or all
    of upstream's callers do so.

    That a parameter stands where another one stood does not show that it means the same.
    """
    impact, precedent = binding.impact, binding.precedent
    match impact.details:
        case ArgumentDetails(argument=old, new_name=str(new)) if old == name and precedent is not None:
            was, now = precedent.before.get(name), precedent.after.get(new)
            if was is not None and now is not None and ast.dump(was) == ast.dump(now):
                return new
    found = renamed_by_all(binding.context, impact, _plain_name(impact), name, binding.old, binding.new)
    return found if found not in binding.bound else None


def _plain_name(impact: Impact) -> str:
    """The name that upstream's calls of a symbol are written with."""
    return impact.symbol.removesuffix(".__init__").rpartition(".")[2]


def _not_simply_gone(binding: Binding, lost: list[str], values: dict[str, Value]) -> str | None:
    """Why arguments cannot just be left out: their value may have to go somewhere else now."""
    precedent, names = binding.precedent, {*lost}
    if precedent is not None and not names & precedent.after.keys() and names & precedent.before.keys():
        return None
    gained = binding.context.gained(binding.impact, binding.impact.symbol)
    if gained is None:
        gained = frozenset(p.name for p in binding.new.parameters) - {p.name for p in binding.old.parameters}
    open_ = sorted(name for name in gained if name not in values)
    if open_:
        return f"it no longer takes {', '.join(lost)}: the value may have to go into {', '.join(open_)} now"
    return None
