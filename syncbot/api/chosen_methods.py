"""Methods that choose one of several others of their object, to be called: ``return self.a`` here, ``return
self.b`` there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from syncbot.api.expressions import FunctionNode
from syncbot.api.function_results import body_facts

_MAY_CHOOSE = re.compile(rb"\breturn\b[^\n]*\bself\.\w+\b(?!\()")


def choices(methods: Iterable[FunctionNode], source: bytes) -> tuple[tuple[str, ...], ...]:
    """The names among which each of some methods chooses, two at least; ``source`` is the text that they
    stand in."""
    if sum(1 for _ in _MAY_CHOOSE.finditer(source)) < 2:
        return ()
    found = (tuple(dict.fromkeys(_chosen(method))) for method in methods)
    return tuple(names for names in found if len(names) > 1)


def _chosen(method: FunctionNode) -> Iterator[str]:
    """The attributes of its object that a method returns, as they are or as what a call makes of them."""
    arguments = [*method.args.posonlyargs, *method.args.args]
    receiver = arguments[0].arg if arguments else ""
    for value in body_facts(method.body).values:
        for part in value.args[:1] if isinstance(value, ast.Call) else [value]:
            match part:
                case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == receiver:
                    yield attr
