"""The annotations of parameters that functions of ours newly take. They are upstream's where every name in
them means the same here, or can be imported without loading anything new. A function of ours that has
parameters and annotates none gets none. What only type checkers can import is quoted."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from syncbot.api.every_node import every_node
from syncbot.api.expressions import named_arguments
from syncbot.impact.model import Impact
from syncbot.patching.registry import Rule
from syncbot.planning.annotation_names import Known, known_names
from syncbot.planning.function_facts import annotation, parameters
from syncbot.planning.model import Answer
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine, SyntaxFile

_GAINED = ("override_parameter_added", "function_parameter_added")
_LOST = ("override_parameter_removed", "function_parameter_removed")
_Taker = tuple[str, Routine]


def annotated(reply: Answer, impact: Impact, context: PlanningContext) -> Answer:
    """Return an answer whose new parameters have their annotations, with the imports that these need. What
    is taken away says the annotation that it had, so that it can be given back."""
    rules: list[Rule] = []
    for rule in reply.rules:
        takers = _takers(rule, impact, context)
        if getattr(rule, "annotation", "") is not None or not takers:
            rules.append(rule)
        elif rule.name in _LOST:
            had = {annotation(routine, getattr(rule, "parameter", "")) for _, routine in takers}
            rules.append(rule.model_copy(update={"annotation": had.pop()}) if len(had) == 1 else rule)
        else:
            rules += _with_annotation(rule, takers, impact, context)
    return replace(reply, rules=tuple(dict.fromkeys(rules)))


def _with_annotation(
    rule: Rule, takers: Sequence[_Taker], impact: Impact, context: PlanningContext
) -> Iterator[Rule]:
    """The imports that an annotation needs, and the rule with it; without any, the rule as it is."""
    shown = _upstreams(rule, takers, impact, context)
    known: list[Known] = []
    if shown is not None:
        module, expression = shown
        for path, routine in takers:
            syntax = context.syntax(path)
            found = known_names(context, module, expression, path) if syntax is not None else None
            if syntax is None or found is None or not _annotates(syntax, routine):
                break
            known.append(found)
    if shown is None or len(known) < len(takers):
        yield rule
        return
    for each in known:
        yield from each.imports
    text = ast.unparse(shown[1])
    if getattr(rule, "default", None) == "None" and not _takes_none(shown[1]):
        text = f"{text} | None"
    text = repr(text).replace("'", '"') if any(each.quoted for each in known) else text
    yield rule.model_copy(update={"annotation": text})


def _takers(rule: Rule, impact: Impact, context: PlanningContext) -> list[_Taker]:
    """The functions of ours whose parameters a rule changes, with their files; none of another rule."""
    if rule.name not in (*_GAINED, *_LOST):
        return []
    file, function = getattr(rule, "file", None), getattr(rule, "function", "")
    if file is None:
        found = [(place.file, context.routine_at(place)) for place in impact.locations]
        method = getattr(rule, "method", "")
        takers = [
            (path, routine) for path, routine in found if routine is not None and routine.name == method
        ]
        return takers if len(takers) == len(found) else []
    syntax = context.syntax(file)
    within, _, name = function.rpartition(".")
    every = context.nodes(file) if syntax is not None else iter(())
    named = (node for node in every if isinstance(node, Routine) and node.name == name)
    return [(file, n) for n in named if syntax is not None and (syntax.within(n) or "") == within]


def _upstreams(
    rule: Rule, takers: Sequence[_Taker], impact: Impact, context: PlanningContext
) -> tuple[str, ast.expr] | None:
    """Upstream's annotation of a parameter, and the module that its names are of: that of the method which
    ours overrides or stands in for, else of what the impact is about."""
    parameter = getattr(rule, "parameter", "")
    path, routine = takers[0]
    own = context.own_class(path, routine)
    shown = [context.overridden(own, routine.name, new=True)] if own is not None else []
    patch = context.stood_in_for(path, getattr(rule, "function", ""))
    shown += [context.method(patch.owner, patch.name, new=True)] if patch is not None else []
    for found in shown:
        text = annotation(found.node, parameter) if found is not None else None
        if found is not None and text is not None:
            return _parsed(found.module, text)
    symbol = context.pair.now(impact.symbol)
    for function in symbol.functions[-1:] if symbol is not None else ():
        for each in function.parameters:
            if symbol is not None and each.name == parameter and each.annotation is not None:
                return _parsed(symbol.module, each.annotation)
    return None


def _parsed(module: str, text: str) -> tuple[str, ast.expr] | None:
    """An annotation without the quotes around all of it; None where it holds further text."""
    try:
        found = ast.parse(text, mode="eval").body
        if isinstance(found, ast.Constant) and isinstance(found.value, str):
            found = ast.parse(found.value, mode="eval").body
    except SyntaxError:
        return None
    texts = (n for n in every_node(found) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return None if any(texts) else (module, found)


def _annotates(syntax: SyntaxFile, routine: Routine) -> bool:
    """Whether a function annotates its parameters; one without any does as its file."""
    receiver = parameters(routine)[:1] if syntax.definitions(routine) else []
    own = [a for a in named_arguments(routine.args) if [a.arg] != receiver]
    if not own:
        every = (n for n in every_node(syntax.tree) if isinstance(n, Routine))
        own = [a for other in every for a in named_arguments(other.args)]
    return any(a.annotation is not None for a in own)


def _takes_none(expression: ast.expr) -> bool:
    """Whether an annotation allows None."""
    match expression:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _takes_none(left) or _takes_none(right)
        case ast.Constant(value=None):
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in ("Any", "object")
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name == "Optional"
    return False
