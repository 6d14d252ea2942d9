"""Calls that the backend makes of its own functions: the judges ask upstream's contracts only."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.extract import dotted
from syncbot.impact.model import Location
from syncbot.migrate.values import callee, parameters
from syncbot.migrate.world import World


def against(world: World, place: Location, parameter: str, *, gone: bool, required: bool) -> str | None:
    """Where the backend itself calls the function at a place in a way that a change of its parameters would
    break: it passes a parameter that goes, or does not pass one that would be required. None where it does
    not. Calls of ``super()`` do not count, they reach upstream's."""
    syntax = world.syntax(place.file)
    routine = syntax.routine_at(place) if syntax is not None else None
    if syntax is None or routine is None:
        return None
    owners = [d.name for d in syntax.definitions(routine) if isinstance(d, ast.ClassDef)]
    names = parameters(routine)[1 if owners else 0 :]
    made = routine.name == "__init__" and bool(owners)
    at = names.index(parameter) if parameter in names else len(names)
    for file, call in _calls(world, owners[-1] if made else routine.name, made or not owners):
        by_name = any(keyword.arg == parameter for keyword in call.keywords)
        hidden = any(isinstance(a, ast.Starred) for a in call.args) or any(
            k.arg is None for k in call.keywords
        )
        by_place = len(call.args) > at
        if (gone and (by_name or by_place)) or (required and not (by_name or hidden)):
            return f"{file}:{call.lineno}"
    return None


def _calls(world: World, name: str, plain: bool) -> Iterator[tuple[str, ast.Call]]:
    """The calls of a class or function by its name; of a method, those on ``self`` and ``cls``."""
    for file in world.trees.backend.files:
        if file.is_test or f"{name}(".encode() not in file.text:
            continue
        syntax = world.syntax(file.path)
        for node in ast.walk(syntax.tree) if syntax is not None else ():
            if not isinstance(node, ast.Call) or callee(node) != name:
                continue
            receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
            if plain or (receiver is not None and dotted(receiver) in ("self", "cls")):
                yield file.path, node
