"""What comparisons of the upstream's version come to: ``Version(lib.__version__) >= Version("2")``."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeAlias

from packaging.version import InvalidVersion, Version

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted, expression

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
    # A name for the version is compared with objects: compared with a text it may be either.
    if len(kinds) != 1 or (kinds == {str} and any(value is None for value, _ in sides)):
        return None
    values = [version if value is None else value for value, _ in sides]
    return all(order(a, b) for order, a, b in zip(orders, values, values[1:], strict=False))


def may_run(guards: Sequence[str], version: Version, package: str) -> bool | None:
    """Whether code under these conditions may run on a version, as far as they compare that of a package;
    None where one of these comparisons cannot be read."""
    told = [_met(*guard.partition(" ")[::2], version, (package,)) for guard in guards]
    return False if False in told else None if None in told else True


def _met(kind: str, test: str, version: Version, packages: Collection[str]) -> bool | None:
    """Whether a condition may be met: True for one that does not ask for the version."""
    node = expression(test) if kind in ("if", "else") else None
    if node is None:
        return True
    found = [part for part in every_node(node) if isinstance(part, ast.Compare)]
    speaking = [part for part in found if _speaks_of(part, packages)]
    if not speaking:
        name = node.operand if isinstance(node, ast.UnaryOp) else node
        return None if isinstance(name, ast.Name) and _speaks_of(name, packages) else True
    if any(compared(part, version, packages) is None for part in speaking):
        return None
    told = _truth(node, version, packages)
    return True if told is None else told is (kind == "if")


def _truth(node: ast.expr, version: Version, packages: Collection[str]) -> bool | None:
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            told = _truth(operand, version, packages)
            return None if told is None else not told
        case ast.BoolOp(op=op, values=values):
            deciding = isinstance(op, ast.Or)
            answers = {_truth(value, version, packages) for value in values}
            return deciding if deciding in answers else None if None in answers else not deciding
    return compared(node, version, packages)


def _speaks_of(node: ast.expr, packages: Collection[str]) -> bool:
    words = ast.unparse(node).lower()
    return "version" in words and any(package.lower() in words for package in packages)


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
