"""Decorators that take what the function under them does not: they only warn of it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from syncbot.api.expressions import FunctionNode
from syncbot.api.model import Function
from syncbot.api.signatures import Signature
from syncbot.api.universe import Universe
from syncbot.contracts.function_sources import function_node


def by_place_too(
    universe: Universe, module: str, functions: Sequence[Function], signatures: Sequence[Signature]
) -> tuple[Signature, ...]:
    """The signatures of a function, keyword-only ones as plain where a decorator sees to it."""
    if not functions or not any(_adapts(universe, module, d) for d in functions[-1].decorators):
        return tuple(signatures)
    return tuple(
        Signature(
            tuple(replace(p, kind="any") if p.kind == "key" else p for p in s.parameters if p.kind != "*")
        )
        for s in signatures
    )


def takes_the_old_name(functions: Sequence[Function], keyword: str) -> bool:
    """Whether a decorator of a function is given a keyword's name as a text: it then takes that one."""
    decorators = (d.partition("(")[2] for f in functions for d in f.decorators)
    return any(f"'{keyword}'" in given or f'"{keyword}"' in given for given in decorators)


def _adapts(universe: Universe, module: str, decorator: str) -> bool:
    """Whether what a decorator returns takes ``*args`` and calls the function with keywords alone."""
    head = decorator.partition("(")[0]
    found = universe.local(module, head) if all(p.isidentifier() for p in head.split(".")) else None
    nodes = (function_node(universe, found.module, f) for f in found.functions) if found is not None else ()
    inner = (n for node in nodes if node is not None for n in ast.walk(node) if isinstance(n, FunctionNode))
    return any(_by_name(node) for node in inner if node.args.vararg is not None)


def _by_name(wrapper: FunctionNode) -> bool:
    calls = (n for n in ast.walk(wrapper) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    return any(not c.args and len(c.keywords) == 1 and c.keywords[0].arg is None for c in calls)
