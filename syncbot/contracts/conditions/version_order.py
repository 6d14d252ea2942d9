"""What comparisons of the upstream's version come to: ``Version(lib.__version__) >= Version("2")``."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeAlias

from packaging.version import InvalidVersion, Version

from syncbot.api.expressions import dotted

_MAKERS = {"Version", "parse", "parse_version"}
_ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}

# A version as text, as an object, or (None) the upstream's own under a name that says nothing of its type.
_Value: TypeAlias = str | Version | None


class _Unreadable(Exception):
    """An expression that says nothing of a version."""


def compared(node: ast.expr, version: Version, packages: Collection[str]) -> bool | None:
    """What a comparison of the version of one of ``packages`` with versions that are written out (PEP 440) is
    on that version; None for another expression."""
    if not isinstance(node, ast.Compare):
        return None
    try:
        orders = [_ORDERS[type(order)] for order in node.ops]
        sides = [_value(side, version, packages) for side in (node.left, *node.comparators)]
    except (KeyError, _Unreadable):
        return None
    if not any(named for _, named in sides):
        return None
    kinds = {type(value) for value, _ in sides if value is not None}
    if len(kinds) != 1:
        return None
    # A name for the version is compared with objects; compared with a text it may be either, which is told
    # where both come to the same.
    either = kinds == {str} and any(value is None for value, _ in sides)
    texts = [str(version) if value is None else value for value, _ in sides]
    try:
        objects = [version if value is None else _parsed(value) if either else value for value, _ in sides]
    except _Unreadable:
        return None
    told = {_holds(orders, objects)} | ({_holds(orders, texts)} if either else set())
    return told.pop() if len(told) == 1 else None


def _holds(orders: Sequence[Callable[[Any, Any], bool]], values: Sequence[_Value]) -> bool:
    return all(order(a, b) for order, a, b in zip(orders, values, values[1:], strict=False))


def _value(node: ast.expr, version: Version, packages: Collection[str]) -> tuple[_Value, bool]:
    """A version that an expression gives, and whether it is the upstream's own. Raises _Unreadable."""
    match node:
        case ast.Constant(value=str(text)):
            return text, False
        case ast.Call(func=called, args=[inner], keywords=[]):
            last = (dotted(called) or "").rpartition(".")[2]
            if last == "version" and isinstance(inner, ast.Constant):
                if _plain(inner.value) in map(_plain, packages):
                    return str(version), True
            elif last in _MAKERS:
                value, named = _value(inner, version, packages)
                return _parsed(value), named
        case ast.Name() | ast.Attribute():
            written = dotted(node) or ""
            owner, _, last = written.rpartition(".")
            if last == "__version__" and owner in packages:
                return str(version), True
            known = last.strip("_").lower()
            if known.endswith("version") and any(package.lower() in known for package in packages):
                return None, True
    raise _Unreadable


def _parsed(value: _Value) -> _Value:
    """A version made of a text. Raises _Unreadable where it is none."""
    try:
        return Version(value) if isinstance(value, str) else value
    except InvalidVersion:
        raise _Unreadable from None


def _plain(name: object) -> str:
    """The name of a distribution, the short way (PEP 503)."""
    return str(name).lower().replace("_", "-")
