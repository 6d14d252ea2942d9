"""Code that the same change of upstream turns off: it stands under a test for what is gone, or came."""

from __future__ import annotations

import ast
from functools import lru_cache

from syncbot.api.expressions import dotted, expression, string
from syncbot.api.symbols import Symbol
from syncbot.contracts.attributes.doubts import is_sure_to_lack
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.inference.named_values import named_in
from syncbot.contracts.model import Place

# What a test does not hold for, as it is written.
_FALSE = ("None", "False", "0", "''", "()", "[]", "{}")


def is_turned_off(place: Place, pair: Comparison) -> bool:
    """Whether a test around a place is seen to hold in the old tree, and to fail in the new one."""
    for guard in place.guards:
        kind, _, test = guard.partition(" ")
        for name, attribute, wanted in _tests(test, kind == "if") if kind in ("if", "else") else ():
            before = _has(place, name, attribute, pair.in_old)
            if before is wanted and _has(place, name, attribute, pair.in_new) is (not wanted):
                return True
            if wanted and before and _has_lost(place, name, attribute, pair):
                return True
    return False


@lru_cache(maxsize=4096)
def _tests(test: str, holds: bool) -> tuple[tuple[str, str, bool], ...]:
    """The dotted names and attributes that a condition asks for, each with what the answer has to be."""
    return tuple(_asked(expression(test), holds)) if "hasattr(" in test or "getattr(" in test else ()


def _asked(node: ast.expr | None, holds: bool) -> list[tuple[str, str, bool]]:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _asked(operand, not holds)
        case ast.BoolOp(op=kind, values=values) if isinstance(kind, ast.And) is holds:
            return [told for value in values for told in _asked(value, holds)]
        case ast.Call(func=ast.Name(id="hasattr" | "getattr"), args=[owner, name, *_]):
            asked, attribute = dotted(owner), string(name)
            # What stands for a missing attribute may be true as well.
            plain = len(node.args) == 2 or ast.unparse(node.args[2]) in _FALSE
            return [(asked, attribute, holds)] if asked and attribute and plain else []
    return []


def _has(place: Place, name: str, attribute: str, inference: Inference) -> bool | None:
    """Whether something has an attribute in a tree, None where that cannot be told."""
    universe = inference.universe
    owner = universe.local(place.module, name)
    if owner is not None and owner.kind in ("module", "class"):
        return _answer(universe.attribute(owner, attribute))
    found = named_in(inference, place.module, place.scope, name)
    if found is None or not found.instance:
        return None
    if universe.member(found.symbol, attribute) is not None:
        return True
    return None if universe.is_open(found.symbol) else False


def _has_lost(place: Place, name: str, attribute: str, pair: Comparison) -> bool:
    """Whether an object whose class had an attribute is sure to have none any more."""
    before, after = (named_in(i, place.module, place.scope, name) for i in (pair.in_old, pair.in_new))
    if before is None or after is None or not before.instance or not after.instance:
        return False
    return is_sure_to_lack(attribute, before.symbol, after.symbol, pair)


def _answer(found: Symbol | None) -> bool | None:
    return None if found is not None and found.kind == "unknown" else found is not None
