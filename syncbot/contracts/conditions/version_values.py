"""Versions in expressions: the upstream's own, those that are written out, and their numbers (PEP 440)."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import TypeAlias

from packaging.version import InvalidVersion, Version

from syncbot.api.expressions import dotted

_MAKERS = {"Version", "parse", "parse_version"}
# What stays the same version as text.
_AS_TEXT = {"base_version", "public"}
_NUMBERS = ("major", "minor", "micro")

#: A version as text, as an object, its numbers or one of these, or (None) the upstream's own under a name
#: that says nothing of its type.
VersionValue: TypeAlias = str | Version | tuple[int, ...] | int | None
_Known: TypeAlias = tuple[VersionValue, bool]


class Unreadable(Exception):
    """An expression that says nothing of a version."""


def value_of(node: ast.expr, version: Version, packages: Collection[str]) -> _Known:
    """A version that an expression gives, and whether it is the upstream's own. Raises Unreadable."""
    match node:
        case ast.Constant(value=str() | int() as written):
            return written, False
        case ast.Tuple(elts=parts):
            return tuple(_number(part) for part in parts), False
        case ast.Call(func=called, args=[inner], keywords=[]):
            return _called((dotted(called) or "").rpartition(".")[2], inner, version, packages)
        case ast.Subscript(
            value=ast.Call(
                func=ast.Attribute(value=inner, attr="split" | "partition"), args=[ast.Constant("+")]
            ),
            slice=ast.Constant(value=0),
        ):
            # A local version, as "1.2+cpu" has, is of the same release.
            return value_of(inner, version, packages)
        case ast.Subscript(value=inner, slice=at):
            return _part(value_of(inner, version, packages), at)
        case ast.Attribute(value=inner, attr=attr) if attr in ("release", *_NUMBERS, *_AS_TEXT):
            return _detail(value_of(inner, version, packages), attr)
    return _named(dotted(node) or "", version, packages)


def parsed_version(value: VersionValue) -> VersionValue:
    """A version made of a text. Raises Unreadable where it is none."""
    try:
        return Version(value) if isinstance(value, str) else value
    except InvalidVersion:
        raise Unreadable from None


def plain_name(name: object) -> str:
    """The name of a distribution, the short way (PEP 503)."""
    return str(name).lower().replace("_", "-")


def _called(name: str, inner: ast.expr, version: Version, packages: Collection[str]) -> _Known:
    """Return what a function makes of a version, or of the name of a package."""
    if name == "version" and isinstance(inner, ast.Constant):
        if plain_name(inner.value) in map(plain_name, packages):
            return str(version), True
        raise Unreadable
    value, named = value_of(inner, version, packages)
    if name in _MAKERS:
        return (version if value is None else parsed_version(value)), named
    if name == "str" and isinstance(value, str | Version):
        return str(value), named
    raise Unreadable


def _named(written: str, version: Version, packages: Collection[str]) -> _Known:
    """Return what is named as the version of a package."""
    owner, _, last = written.rpartition(".")
    if last == "__version__" and owner in packages:
        return str(version), True
    # As setuptools-scm and hatch-vcs write it.
    if last == "__version_tuple__" and owner.partition(".")[0] in packages:
        return version.release, True
    known = last.strip("_").lower()
    if known.endswith("version") and any(package.lower() in known for package in packages):
        return None, True
    raise Unreadable


def _detail(known: _Known, name: str) -> _Known:
    """An attribute of a version."""
    value, named = known
    if not isinstance(value, Version):
        raise Unreadable
    if name in _AS_TEXT:
        return value.base_version if name == "base_version" else value.public, named
    return value.release if name == "release" else {
        "major": value.major,
        "minor": value.minor,
        "micro": value.micro,
    }[name], named


def _part(known: _Known, at: ast.expr) -> _Known:
    """Some of a version's numbers, or one."""
    value, named = known
    if isinstance(value, tuple):
        match at:
            case ast.Slice(lower=None, upper=ast.Constant(value=int(last)), step=None):
                return value[:last], named
            case ast.Constant(value=int(place)) if -len(value) <= place < len(value):
                return value[place], named
    raise Unreadable


def _number(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    raise Unreadable
