"""The results of comparisons of the upstream's version: ``Version(lib.__version__) >= Version("2")``, and
calls that spell one, as ``is_version("lib", ">=", "2")`` does."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Sequence
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from syncbot.api.expressions import dotted
from syncbot.contracts.conditions.version_values import (
    Unreadable,
    VersionValue,
    parsed_version,
    plain_name,
    value_of,
)

_SIGNS: dict[str, ast.cmpop] = {
    "<": ast.Lt(), "<=": ast.LtE(), ">": ast.Gt(), ">=": ast.GtE(), "==": ast.Eq(), "!=": ast.NotEq(),
}  # fmt: skip
_NAMED = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def compared(node: ast.expr, version: Version, packages: Collection[str]) -> bool | None:
    """Return what a comparison of the version of one of ``packages`` with versions that are written out (PEP
    440) is on that version; None for another expression."""
    node = _spelled_out(node)
    if not isinstance(node, ast.Compare):
        return None
    if isinstance(node.ops[0], ast.In | ast.NotIn) and len(node.ops) == 1:
        within = _within(node.left, node.comparators[0], version, packages)
        return within if within is None else within is isinstance(node.ops[0], ast.In)
    return _ordered(node, version, packages)


def _ordered(node: ast.Compare, version: Version, packages: Collection[str]) -> bool | None:
    """Return what is written with signs of order."""
    try:
        orders = [_ORDERS[type(order)] for order in node.ops]
        sides = [value_of(side, version, packages) for side in (node.left, *node.comparators)]
    except (KeyError, Unreadable):
        return None
    if not any(named for _, named in sides):
        return None
    told = {_holds(orders, values) for values in _readings([value for value, _ in sides], version)}
    return told.pop() if len(told) == 1 else None


def _readings(values: Sequence[VersionValue], version: Version) -> list[list[VersionValue]]:
    """Return what may be compared, of one type; nothing where a name that says nothing of its type is
    compared with what has no order beside a version."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) != 1 or (int in kinds and None in values):
        return []
    own = version.release if tuple in kinds else version
    as_written: list[VersionValue] = [own if value is None else value for value in values]
    if kinds != {str} or None not in values:
        return [as_written]
    # Compared with a text, a name for the version is one as well, or makes an object of the text.
    try:
        objects = [parsed_version(value) for value in as_written]
    except Unreadable:
        return []
    return [objects, [str(version) if value is None else value for value in values]]


def required(call: ast.Call, version: Version, packages: Collection[str]) -> bool | None:
    """Return what a call that spells a comparison is on a version: a requirement (``"lib>=2"``, PEP 508), or
    an order and a version, where it names one of the packages by its own name, or is given the name or the
    version of one. None for another call."""
    signs: list[str] = []
    versions: list[str] = []
    named = _names_package(call.func, packages)
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        match argument:
            case ast.Constant(value=str(text)) if text in _SIGNS:
                signs.append(text)
            case ast.Constant(value=str(text)) if plain_name(text) in map(plain_name, packages):
                named = True
            case ast.Constant(value=str(text)):
                told = _requirement(text, version, packages)
                if told is not None and len(call.args) == 1 and not call.keywords:
                    return told
                versions.append(text)
            case _ if _names_version(argument, version, packages):
                named = True
            case _:
                return None
    if not named or len(signs) != 1 or len(versions) != 1:
        return None
    return _allows(f"{signs[0]}{versions[0]}", version)


def _requirement(text: str, version: Version, packages: Collection[str]) -> bool | None:
    try:
        asked = Requirement(text)
    except InvalidRequirement:
        return None
    if not asked.specifier or plain_name(asked.name) not in map(plain_name, packages):
        return None
    return asked.specifier.contains(version, prereleases=True)


def _within(node: ast.expr, several: ast.expr, version: Version, packages: Collection[str]) -> bool | None:
    """Whether the version is in ``SpecifierSet(…)``."""
    match several:
        case ast.Call(func=called, args=[ast.Constant(value=str(text))], keywords=[]) if (
            dotted(called) or ""
        ).rpartition(".")[2] == "SpecifierSet" and _names_version(node, version, packages):
            return _allows(text, version)
    return None


def _allows(text: str, version: Version) -> bool | None:
    try:
        return SpecifierSet(text).contains(version, prereleases=True)
    except InvalidSpecifier:
        return None


def _names_version(node: ast.expr, version: Version, packages: Collection[str]) -> bool:
    try:
        return value_of(node, version, packages)[1]
    except Unreadable:
        return False


def _names_package(function: ast.expr, packages: Collection[str]) -> bool:
    """Whether the name of a function speaks of the version of a package."""
    words = (dotted(function) or "").rpartition(".")[2].lower()
    return "version" in words and any(package.lower() in words for package in packages)


def _spelled_out(node: ast.expr) -> ast.expr:
    """A comparison that is written as a call: ``operator.ge(a, b)``, ``ORDERS[">="](a, b)``, and
    ``SpecifierSet(…).contains(a)``."""
    match node:
        case ast.Call(func=ast.Attribute(value=several, attr="contains"), args=[one]):
            return ast.Compare(one, [ast.In()], [several])
        case ast.Call(func=ast.Attribute(value=ast.Name(id="operator"), attr=name), args=[a, b]) if (
            name in _NAMED
        ):
            return ast.Compare(a, [_SIGNS[_NAMED[name]]], [b])
        case ast.Call(func=ast.Subscript(slice=ast.Constant(value=str(sign))), args=[a, b]) if sign in _SIGNS:
            return ast.Compare(a, [_SIGNS[sign]], [b])
    return node


def _holds(orders: Sequence[Callable[[Any, Any], bool]], values: Sequence[VersionValue]) -> bool:
    return all(order(a, b) for order, a, b in zip(orders, values, values[1:], strict=False))
