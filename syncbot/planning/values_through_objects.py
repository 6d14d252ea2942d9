"""Finds the value that upstream's only caller passes from its object, which ours has by a typed parameter."""

from __future__ import annotations

import ast

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.api.symbols import Symbol
from syncbot.planning.function_facts import annotation, names, parameters
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine


def passed_by_owner(
    context: PlanningContext, path: str, routine: Routine | None, call: ast.Call, name: str
) -> str | None:
    """The argument that the class of a parameter of ours passes in its own call ``self.part.method(…)``, the
    only one of upstream, with the parameter in the place of ``self``; None where there is no such one."""
    found = _owner(routine, call) if routine is not None else None
    if found is None or routine is None or not isinstance(call.func, ast.Attribute):
        return None
    parameter, chain = found
    universe = context.pair.new
    owner = _class(context, path, annotation(routine, parameter) or "")
    tree = context.upstream_tree(universe, owner.module) if owner is not None else None
    if owner is None or tree is None:
        return None
    written = f"self{chain}.{call.func.attr}"
    modules = context.pair.new_tree.mentioning(context.pair.new_tree.modules, f".{call.func.attr}(")
    body = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == owner.qualname][:1]
    nodes = (n for definition in body for n in every_node(definition))
    calls = [n for n in nodes if isinstance(n, ast.Call) and dotted(n.func) == written]
    if len(calls) != 1 or modules != [owner.module]:
        return None
    value = next((k.value for k in calls[0].keywords if k.arg == name), None)
    text = dotted(value) if value is not None else None
    if text is None or not text.startswith("self."):
        return None
    return f"{parameter}.{text.removeprefix('self.')}"


def _class(context: PlanningContext, path: str, written: str) -> Symbol | None:
    """The class of an annotation, also where only type checkers import it."""
    universe = context.pair.new
    found = universe.annotation_class(context.module(path), written)
    if found is not None:
        return found
    homes = {
        f"{n.module}.{a.name}"
        for n in context.nodes(path)
        if isinstance(n, ast.ImportFrom) and not n.level
        for a in n.names
        if (a.asname or a.name) == written
    }
    only = universe.resolve(homes.pop()) if len(homes) == 1 else None
    return only if only is not None and only.kind == "class" else None


def _owner(routine: Routine, call: ast.Call) -> tuple[str, str] | None:
    """The parameter that a method is called on a part of, and the attributes that lead to that part."""
    receiver = dotted(call.func.value) if isinstance(call.func, ast.Attribute) else None
    if receiver is None:
        return None
    if "." not in receiver:
        made = [
            n for n in every_node(routine)
            if isinstance(n, ast.Assign) and [dotted(t) for t in n.targets] == [receiver]
        ]  # fmt: skip
        bound = [n for n in names(routine) if n.id == receiver and not isinstance(n.ctx, ast.Load)]
        receiver = dotted(made[0].value) if len(made) == len(bound) == 1 else None
    first, _, rest = (receiver or "").partition(".")
    rebound = any(n.id == first and not isinstance(n.ctx, ast.Load) for n in names(routine))
    if not rest or first not in parameters(routine)[1:] or rebound:
        return None
    return first, f".{rest}"
