"""Upstream's own calls show the use of a parameter that has another name now."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.api.syntax import parse
from syncbot.api.tree import ModuleTree
from syncbot.api.usage import UsageTables
from syncbot.contracts.comparison import Comparison


def passes_on(pair: Comparison, function: str, old: str, new: str) -> str | None:
    """The upstream function whose call passes as ``new`` what it passed as ``old``, in the same words. A
    parameter that only stands where another one stood may mean something else."""
    before = set(_passed(pair.old_tree, pair.old_usage, pair.changed, function, old))
    after = _passed(pair.new_tree, pair.new_usage, pair.changed, function, new)
    return next((scope for scope, value in after if (scope, value) in before), None)


def _passed(
    tree: ModuleTree, usage: UsageTables, modules: Sequence[str], function: str, keyword: str
) -> Iterator[tuple[str, str]]:
    """The scopes of the calls that pass a keyword, each with the expression."""
    for module, call in usage.calls_under_any_name(modules, function):
        if keyword in call.keywords:
            value = _value(tree.source(module) or b"", call.line, function, keyword)
            if value is not None:
                yield f"{module}.{call.scope}", value


def _value(source: bytes, line: int, function: str, keyword: str) -> str | None:
    for node in _calls_by_line(source).get(line, ()):
        attribute = node.func.attr if isinstance(node.func, ast.Attribute) else None
        if function in (attribute, (dotted(node.func) or "").rpartition(".")[2]):
            for given in node.keywords:
                if given.arg == keyword:
                    return ast.dump(given.value)
    return None


@lru_cache(maxsize=2)
def _calls_by_line(source: bytes) -> dict[int, list[ast.Call]]:
    """The calls of a module, as :func:`ast.walk` comes to them: they are asked for by each parameter."""
    found: dict[int, list[ast.Call]] = {}
    for node in every_node(parse(source)):
        if isinstance(node, ast.Call):
            found.setdefault(node.lineno, []).append(node)
    return found
