"""Decorators that take what the function under them does not: they only warn of it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode
from syncbot.api.model import Function, Parameter
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


def with_old_names(
    before: Sequence[Function],
    after: Sequence[Function],
    signatures: Sequence[Signature],
    passed: Sequence[str],
) -> tuple[Signature, ...]:
    """The old signatures of a function, with the keywords that are passed and that only a decorator took
    which is there no more."""
    taken = tuple(
        Parameter(name, "key", "None")
        for name in passed
        if takes_the_old_name(before, name) and not takes_the_old_name(after, name)
    )
    return tuple(
        Signature((*s.parameters, *(p for p in taken if s.get(p.name) is None))) if not s.has("**") else s
        for s in signatures
    )


def new_name(before: Sequence[Function], keyword: str, signature: Signature) -> str | None:
    """The one parameter of today that a former decorator names beside an old keyword."""
    given = [t for f in before for d in f.decorators if (t := d.partition("(")[2]) and _quotes(t, keyword)]
    named = {p.name for p in signature.parameters for t in given if p.name != keyword and _quotes(t, p.name)}
    return named.pop() if len(named) == 1 else None


def takes_the_old_name(functions: Sequence[Function], keyword: str) -> bool:
    """Whether a decorator of a function is given a keyword's name as a text: it then takes that one."""
    decorators = (d.partition("(")[2] for f in functions for d in f.decorators)
    return any(_quotes(given, keyword) for given in decorators)


def gives_the_new_name(functions: Sequence[Function], name: str, passed: Sequence[str]) -> bool:
    """Whether a decorator of a function is given a parameter's name beside that of a keyword which is passed:
    it hands this one on under that name."""
    decorators = [d.partition("(")[2] for f in functions for d in f.decorators]
    taken = {p.name for f in functions for p in f.parameters}
    old = [keyword for keyword in passed if keyword not in taken]
    return any(_quotes(given, name) and any(_quotes(given, k) for k in old) for given in decorators)


def _quotes(text: str, name: str) -> bool:
    return f"'{name}'" in text or f'"{name}"' in text


def _adapts(universe: Universe, module: str, decorator: str) -> bool:
    """Whether what a decorator returns takes ``*args`` and calls the function with keywords alone."""
    head = decorator.partition("(")[0]
    found = universe.local(module, head) if all(p.isidentifier() for p in head.split(".")) else None
    nodes = (function_node(universe, found.module, f) for f in found.functions) if found is not None else ()
    inner = (n for node in nodes if node is not None for n in every_node(node) if isinstance(n, FunctionNode))
    return any(_by_name(node) for node in inner if node.args.vararg is not None)


def _by_name(wrapper: FunctionNode) -> bool:
    calls = (n for n in every_node(wrapper) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    return any(not c.args and len(c.keywords) == 1 and c.keywords[0].arg is None for c in calls)
