"""A value that the callers of a method have: handed down to it by a new parameter.

Upstream passes the value in a method that calls the one around our call, where ours does not have it. If
every caller is known, ours overrides all of upstream's, and the value means the same in each of our own, they
pass it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.api.signatures import Signature
from syncbot.api.symbols import Symbol
from syncbot.impact.model import Location
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.call_changed import CallChanged
from syncbot.patching.rewrites.function_parameter_added import FunctionParameterAdded
from syncbot.planning import own_calls
from syncbot.planning.argument_values import Surroundings
from syncbot.planning.call_arguments import arguments, hides
from syncbot.planning.enclosing_function import Value
from syncbot.planning.function_facts import calls_of, functions_of, names, parameters, set_before
from syncbot.planning.model import Name
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine, callee


def handed_down(
    context: PlanningContext, around: Surroundings, call: ast.Call, name: str, new: Signature
) -> Value | None:
    """Return the parameter that the method around a call of ours gets for a value that upstream passes in the
    methods which call it, with all that makes it one; None where that is not sure."""
    routine, own = around.routine, around.own
    if routine is None or own is None or around.old is None or {n.id for n in names(routine)} & {name}:
        return None
    if name in parameters(routine) or routine.args.vararg is not None or routine.args.kwarg is not None:
        return None
    place = Location(around.path, routine.lineno, 1)
    calls = list(own_calls.calls_at(context, place))
    if not calls or not all(surely and not hides(each) for _, each, surely in calls):
        return None
    if _named_otherwise(context, routine.name) or not _all_overridden(context, own, routine.name):
        return None
    rules: list[Rule] = []
    for file, each, _ in calls:
        value = _passed_there(Surroundings(context, file, each), each, callee(call), name, new)
        if value is None:
            return None
        keyword = ast.keyword(name, ast.parse(value, mode="eval").body)
        after = ast.Call(each.func, each.args, [*each.keywords, keyword])
        within = Surroundings(context, file, each).within
        rules.append(
            CallChanged(file=file, within=within, before=ast.unparse(each), after=ast.unparse(after))
        )
    # Nobody else calls it: the default is for who makes sure that overrides fit upstream's.
    taken = FunctionParameterAdded(
        file=around.path,
        function=around.within,
        parameter=name,
        default="None",
        after=parameters(routine)[-1],
    )
    return Value(name, (Name(around.path, around.within, name),), imports=(taken, *rules))


def _passed_there(
    caller: Surroundings, place: ast.Call, called: str, name: str, new: Signature
) -> str | None:
    """Return the argument that upstream's version of a caller passes, where our caller has its value."""
    if caller.routine is None or caller.new is None or place not in set(every_node(caller.routine)):
        return None
    found = [arguments(each, new) for each in calls_of(caller.new.node, {called})]
    shown = found[0].get(name) if len(found) == 1 and found[0] is not None else None
    value = caller.means_the_same(shown, caller.new) if shown is not None else None
    if value is None or shown is None or value.needs or value.statements or value.imports:
        return None
    known = {*set_before(caller.routine, place), *parameters(caller.routine)}
    return value.text if {n.id for n in names(ast.parse(value.text))} <= known else None


def _named_otherwise(context: PlanningContext, name: str) -> bool:
    """Whether the backend says a method's name where it does not call it: somebody else may do so."""
    for file in context.trees.backend.files:
        if f".{name}".encode() not in file.text or file.is_test:
            continue
        called = {id(call.func) for call in context.calls_of(file.path, name)}
        for node in context.nodes(file.path):
            if isinstance(node, ast.Attribute) and node.attr == name and id(node) not in called:
                return True
    return False


def _all_overridden(context: PlanningContext, own: Symbol, name: str) -> bool:
    """Whether ours overrides every method of upstream that calls one of a name, each without calling it."""
    universe, tree = context.pair.new, context.pair.new_tree
    lineage = {c.name for c in universe.lineage(own).classes}
    for module in tree.mentioning(tree.modules, f".{name}"):
        syntax = context.upstream_tree(universe, module)
        for qualname, routine in functions_of(syntax) if syntax is not None else ():
            owner = f"{module}.{qualname}".rpartition(".")[0]
            for receiver in _receivers(routine, name):
                if receiver != "self" or (owner in lineage and not _replaced(context, own, routine.name)):
                    return False
    return True


def _receivers(routine: Routine, name: str) -> Iterator[str | None]:
    """Yield the receivers on which a function reads a method; None for one that is not a dotted name."""
    for node in every_node(routine):
        if isinstance(node, ast.Attribute) and node.attr == name:
            yield dotted(node.value)


def _replaced(context: PlanningContext, own: Symbol, method: str) -> bool:
    """Whether a class of ours defines a method and never calls upstream's."""
    path = context.path(own.module)
    member = context.pair.new.member(own, method)
    if path is None or member is None or member.owner.name != own.name:
        return False
    calls: Sequence[ast.Call] = context.calls_of(path, method)
    return all(dotted(c.func.value) == "self" for c in calls if isinstance(c.func, ast.Attribute))
