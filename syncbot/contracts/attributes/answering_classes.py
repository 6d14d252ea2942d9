"""Classes of upstream that answer for attributes which they do not have: ``__getattr__`` for names of old."""

from __future__ import annotations

import ast

from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.function_sources import function_node

_ANSWERING = ("__getattr__", "__getattribute__")


def answering_class(name: str, old: Symbol, new: Symbol, pair: Comparison) -> Symbol | None:
    """The class whose ``__getattr__`` may answer for an attribute that is gone: one that is new, or says
    something else than it did, or whose module has the name as a text as it did not before."""
    for method in _ANSWERING:
        after = pair.new.member(new, method)
        if after is None or not after.functions:
            continue
        before = pair.old.member(old, method)
        changed = before is None or _text(before, pair.old) != _text(after, pair.new)
        if changed or (_quotes(after, name, pair.new) and not (before and _quotes(before, name, pair.old))):
            return after.owner
    return None


def _text(member: Member, universe: Universe) -> str:
    found = [function_node(universe, member.owner.module, f, member.owner.qualname) for f in member.functions]
    return "\n".join(ast.unparse(node) for node in found if node is not None)


def _quotes(member: Member, name: str, universe: Universe) -> bool:
    """Whether the module of a method has a name as a text, such as in a table of names of old."""
    source = universe.source(member.owner.module) or b""
    return f'"{name}"'.encode() in source or f"'{name}'".encode() in source
