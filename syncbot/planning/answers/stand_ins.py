"""Functions of the backend that upstream calls in the place of its own: monkey-patches, siblings, and
overrides that only a type checker has seen."""

from __future__ import annotations

import ast
import re

from syncbot.api.every_node import every_node
from syncbot.api.model import Parameter
from syncbot.api.signatures import Signature
from syncbot.contracts.changes import ChangeKind, ParameterDetails, ParameterKind
from syncbot.contracts.kinds.patches import PatchContract
from syncbot.impact.model import Impact, Location
from syncbot.patching.rewrites.function_parameter_added import FunctionParameterAdded
from syncbot.planning import own_calls
from syncbot.planning.answer_registry import Phase, answerer
from syncbot.planning.function_facts import parameters
from syncbot.planning.model import Answer, Author, Reply, joined
from syncbot.planning.planning_context import PlanningContext, last_signature
from syncbot.planning.syntax_file import Routine

_GAINED = (
    ChangeKind.PARAMETER_ADDED,
    ChangeKind.PARAMETER_REQUIRED,
    ChangeKind.SIBLING_PARAMETER_ADDED,
)
_LOST = (ChangeKind.PARAMETER_REMOVED, ChangeKind.SIBLING_PARAMETER_REMOVED)


@answerer(Phase.STANDING_IN)
def accepting(impact: Impact, context: PlanningContext) -> Reply:
    """The function takes the parameter that upstream passes, or no longer asks for the one it does not."""
    contract = impact.contract
    details = impact.details if isinstance(impact.details, ParameterDetails) else None
    kinds = {*_GAINED, *_LOST} if contract != "override" else {ChangeKind.PARAMETER_RENAMED}
    if impact.kind not in kinds or contract not in ("patch", "sibling", "override", ""):
        return None
    name = details.parameter if details is not None else _named(impact)
    if not name:
        return None
    answers: list[Answer] = []
    for place in impact.locations:
        found = _function(place, context)
        if found is None:
            return None if not contract else Author("the function that stands in cannot be found")
        path, qualname, routine = found
        if contract == "override" and details is not None and details.old_name in parameters(routine):
            return None
        open_ = impact.kind in _GAINED and routine.args.kwarg is not None
        if open_ or (name in parameters(routine)) is not (impact.kind in _LOST):
            # Another place of the same impact is the one that lacks it, or still has it.
            continue
        if impact.kind in _LOST:
            followed = own_calls.lost(context, Location(path, routine.lineno, 1), name)
            if isinstance(followed, Author):
                return followed
            taken = FunctionParameterAdded(file=path, function=qualname, parameter=name)
            answers += [Answer((taken.mirror(),)), followed.answer]
            continue
        signature = _signature(impact, context)
        parameter = signature.get(name) if signature is not None else None
        if parameter is None and contract != "sibling":
            return Author(f"upstream's own signature has no {name}")
        rule = _added(path, qualname, name, parameter, signature, routine, details, context)
        note = f"{name} is taken and not used ({path}:{routine.lineno})"
        answers.append(Answer((rule,), notes=(note,)))
    if not answers:
        does = "does not take" if impact.kind in _LOST else "takes"
        return Author(f"the function that stands in for upstream's {does} {name} as it is")
    return joined(answers)


def _added(
    path: str,
    qualname: str,
    name: str,
    parameter: Parameter | None,
    signature: Signature | None,
    routine: Routine,
    details: ParameterDetails | None,
    context: PlanningContext,
) -> FunctionParameterAdded:
    default, kind = (None, ParameterKind.ANY) if details is None else (details.default, details.kind)
    if parameter is not None:
        default, kind = parameter.default, ParameterKind(parameter.kind)
    before = [p.name for p in signature.parameters] if signature is not None else []
    earlier = before[: before.index(name)] if name in before else []
    after = earlier[-1] if earlier else None
    if default is not None and not _is_constant(default):
        default = "None"
    if default is None and _called_without(routine.name, name, context):
        default = "None"
    return FunctionParameterAdded(
        file=path, function=qualname, parameter=name, default=default, after=after, kind=kind
    )


def _named(impact: Impact) -> str:
    """The parameter of a checker's message: it names it with ``passes X to`` or ``no longer pass X,``."""
    words = " ".join(impact.message.replace(",", " ").split())
    found = re.search(r"(?<!\S)passes (\S+) to(?!\S)", words) or re.search(
        r"(?<!\S)pass (\S+) which(?!\S)", words
    )
    return found[1] if found is not None else ""


def _function(place: Location, context: PlanningContext) -> tuple[str, str, Routine] | None:
    """The backend's function at a place, or the one that a monkey-patch there puts in: file, name, node."""
    patch = next(iter(context.contracts_at(place, PatchContract)), None)
    if patch is not None:
        found = context.pair.new.resolve(patch.replacement) if patch.replacement else None
        path = context.path(found.module) if found is not None else None
        syntax = context.syntax(path) if path is not None else None
        if found is None or path is None or syntax is None or found.kind != "function":
            return None
        for node in every_node(syntax.tree):
            if isinstance(node, Routine) and _qualname(syntax.within(node), node) == found.qualname:
                return path, found.qualname, node
        return None
    syntax = context.syntax(place.file)
    routine = syntax.routine_at(place) if syntax is not None else None
    if syntax is None or routine is None:
        return None
    return place.file, _qualname(syntax.within(routine), routine), routine


def _qualname(within: str | None, node: Routine) -> str:
    return f"{within}.{node.name}" if within else node.name


def _signature(impact: Impact, context: PlanningContext) -> Signature | None:
    found = context.pair.now(impact.symbol)
    if found is None or not found.functions:
        return None
    return last_signature(found.functions, "." in found.qualname)


def _is_constant(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True


def _called_without(function: str, parameter: str, context: PlanningContext) -> bool:
    """Whether the backend calls something of that name itself without the parameter."""
    for file in context.trees.backend.files:
        if f"{function}(".encode() not in file.text:
            continue
        calls = context.calls_of(file.path, function)
        if any(parameter not in [k.arg for k in call.keywords] for call in calls):
            return True
    return False
