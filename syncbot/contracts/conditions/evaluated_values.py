"""The possible results of an expression: a value of Python, or a mark for what is no value; and how they
compare."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

_COMPARING: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip


class Mark:
    """A mark that stands for no value of Python."""

    def __init__(self, says: str) -> None:
        self.says = says

    def __repr__(self) -> str:
        return self.says


#: What cannot be read.
UNKNOWN: Final = Mark("unknown")
#: The upstream's version under a name that says nothing of its type.
OWN_VERSION: Final = Mark("the version")
#: What says that upstream is installed: it is true, and no None.
INSTALLED: Final = Mark("installed")
#: A value of Python, or one of these marks.
Value: TypeAlias = Any


def truth_of(value: Value) -> bool | None:
    """Whether a value counts as true; None where it is unknown."""
    return None if value is UNKNOWN else True if isinstance(value, Mark) else bool(value)


def as_version(value: Value, version: Version) -> Version | None:
    """A version object of a value, where ``version`` is the upstream's own; None for what is none. Raises
    InvalidVersion."""
    if value is OWN_VERSION:
        return version
    return Version(value) if isinstance(value, str) else value if isinstance(value, Version) else None


def specifiers(text: str) -> Value:
    """The set of versions that a text describes."""
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        return UNKNOWN


def has_mark(value: Value) -> bool:
    """Whether one of several values is no value of Python."""
    return isinstance(value, tuple) and any(isinstance(each, Mark) or has_mark(each) for each in value)


def holds(op: ast.cmpop, one: Value, other: Value, version: Version) -> Value:
    """Return what a comparison of two values is; where one is the version of whatever type, what all readings
    say. Raises what Python does where they have no order, and InvalidVersion."""
    if isinstance(op, ast.Is | ast.IsNot) and None in (one, other) and UNKNOWN not in (one, other):
        return (one is other) is isinstance(op, ast.Is)
    if OWN_VERSION in (one, other):
        readings = _readings(other if one is OWN_VERSION else one, op, version)
        told = {
            holds(op, here, there, version)
            for here, there in ((r, o) if one is OWN_VERSION else (o, r) for r, o in readings)
        }
        return told.pop() if len(told) == 1 else UNKNOWN
    if isinstance(other, SpecifierSet) and isinstance(op, ast.In | ast.NotIn):
        known = as_version(one, version)
        if known is None:
            return UNKNOWN
        return other.contains(known, prereleases=True) is isinstance(op, ast.In)
    if any(isinstance(side, Mark) or has_mark(side) for side in (one, other)):
        return UNKNOWN
    if isinstance(op, ast.In | ast.NotIn) and not isinstance(other, str | tuple):
        return UNKNOWN
    function = _COMPARING.get(type(op))
    return bool(function(one, other)) if function is not None else UNKNOWN


def _readings(rest: Value, op: ast.cmpop, version: Version) -> list[tuple[Value, Value]]:
    """Return what may be compared where one side is the version, and ``rest`` the other: compared with a
    text, it is one as well, or an object that is compared with what is made of the text."""
    if isinstance(rest, tuple):
        return [(version.release, rest)]
    if isinstance(rest, str):
        texts = [] if isinstance(op, ast.In | ast.NotIn) else [(version, Version(rest)), (str(version), rest)]
        return list(texts)
    return [(version, rest)] if isinstance(rest, Version | SpecifierSet) else []
