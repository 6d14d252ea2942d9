"""Reliances that cannot be judged, and are counted instead: objects whose class nothing shows, names that may
exist."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import dotted
from syncbot.api.statement_parts import imported
from syncbot.contracts.context import Context
from syncbot.contracts.inference.values import Scope
from syncbot.contracts.model import Contract
from syncbot.contracts.registry import finder

_LITERALS = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.JoinedStr, ast.ListComp, ast.DictComp)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownObjectContract(Contract):
    """Something is read of an object of a class that is not known; ``symbol`` is its name in that scope."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseenNameContract(Contract):
    """An import of ``symbol``, which may exist upstream, unseen."""


@finder(ast.Import, ast.ImportFrom)
def find_unseen_names(node: ast.Import | ast.ImportFrom, context: Context) -> Iterator[UnseenNameContract]:
    """Imports of names that a compiled module may have, or that a package makes when it is asked."""
    for item in imported(node, ""):
        if item.level or item.name in (None, "*") or not context.is_upstream(item.module):
            continue
        found = context.universe.resolve(f"{item.module}.{item.name}")
        if found is not None and found.kind == "unknown":
            yield UnseenNameContract(symbol=f"{item.module}.{item.name}", place=context.place(node))


@finder(ast.Attribute)
def find_unknown_objects(node: ast.Attribute, context: Context) -> Iterator[UnknownObjectContract]:
    """Parameters, variables and attributes of ``self`` without a known class, each once in its scope."""
    name = _unknown(node.value, context)
    if name is not None and context.once((context.qualname, name)):
        yield UnknownObjectContract(symbol=name, place=context.place(node))


def _unknown(node: ast.expr, context: Context) -> str | None:
    """The first name in a chain of attributes that nothing is known of, None where something is."""
    name = dotted(node)
    if name is None or context.infer(node) is not None:
        return None
    head, _, rest = name.partition(".")
    at: Scope | None = context.scope
    while at is not None:
        if head == at.receiver:
            return f"{head}.{rest.partition('.')[0]}" if rest and _is_own(at, rest, context) else None
        if head in at.annotations or head in at.imports or head in at.narrowed:
            return None
        if head in at.values:
            return head if not all(_is_outside(value, context) for value in at.values[head]) else None
        if head in at.opaque:
            return head
        at = at.parent
    return None


def _is_own(scope: Scope, rest: str, context: Context) -> bool:
    """Whether a class of the trees sets an attribute of ``self``, and does not say to what."""
    name = rest.partition(".")[0]
    member = context.universe.member(scope.class_, name) if scope.class_ is not None else None
    return member is not None and not any(a.annotation for a in member.attributes) and not member.functions


def _is_outside(value: ast.expr, context: Context) -> bool:
    """Whether a value is a literal, or what something from outside the trees gives."""
    if isinstance(value, _LITERALS):
        return True
    name = dotted(value.func if isinstance(value, ast.Call) else value)
    if name is None:
        return False
    found = context.universe.local(context.file.module, name.partition(".")[0])
    return found is not None and found.kind == "unknown"
