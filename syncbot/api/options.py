"""Finds the settings that a program reads from outside: environment variables, and flags that it defines."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.api.syntax import parse

VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$")
FLAG = re.compile(r"--(?:no-)?([A-Za-z][\w.-]*)(=.*)?$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Options:
    """The environment variables that a module knows, and the flags (``some_flag``) that it parses."""

    variables: frozenset[str]
    flags: frozenset[str]


def options(source: bytes) -> Options:
    """The options of a module's text; none where it does not parse."""
    try:
        nodes = list(every_node(parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Options(frozenset(), frozenset())
    return Options(
        frozenset(v for node in nodes for v in _variables(node)),
        frozenset(f for node in nodes for f in _flags(node)),
    )


def flag_name(text: str) -> str | None:
    """``--some-flag=1`` and ``--no-some-flag`` are ``some_flag``; None for what is no flag."""
    found = FLAG.match(text)
    return found[1].replace("-", "_") if found is not None else None


def _variables(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]) if VARIABLE.match(name):
            callee = (dotted(func) or "").lower()
            if "env" in callee and not callee.endswith(("setenv", "putenv", "setdefault")):
                yield name
        case (
            ast.Subscript(value=owner, slice=ast.Constant(value=str(name)), ctx=ast.Load())
            | ast.Compare(left=ast.Constant(value=str(name)), comparators=[owner])
        ) if (dotted(owner) or "").endswith("environ"):
            yield name
        case ast.Dict(keys=keys, values=values) if any(isinstance(v, ast.Lambda) for v in values):
            for key in keys:
                if isinstance(key, ast.Constant) and isinstance(key.value, str) and VARIABLE.match(key.value):
                    yield key.value


def _flags(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and (dotted(node.func) or "").endswith("add_argument"):
        for argument in node.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                name = flag_name(argument.value)
                if name is not None:
                    yield name
        for keyword in node.keywords:
            if keyword.arg == "dest" and isinstance(keyword.value, ast.Constant):
                yield str(keyword.value.value)
