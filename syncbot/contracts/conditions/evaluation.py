"""What expressions and small functions come to where upstream has one version: they are followed as they are
written. What cannot be read is UNKNOWN, and both ways are followed where that decides."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from syncbot.api.expressions import dotted, expression
from syncbot.contracts.conditions.version_helpers import VersionHelper, VersionHelpers, by_name, function_of
from syncbot.contracts.conditions.version_values import Unreadable, plain_name, value_of

# A function that asks for a version is short. What somebody else wrote may be made to take for ever.
_MOST_WAYS = 16
_MOST_STEPS = 400
_MOST_DEPTH = 4
_LONGEST = 200
_AVAILABLE = {"available", "installed", "exists", "importable", "present", "found", "spec", "has"}
_MAKERS = {"Version", "parse", "parse_version", "LooseVersion", "StrictVersion"}
_OF_VERSIONS = {
    "base_version",
    "public",
    "release",
    "major",
    "minor",
    "micro",
    "is_prerelease",
    "is_devrelease",
}
_OF_TEXTS = {"split", "rsplit", "partition", "rpartition", "startswith", "endswith", "strip", "lstrip", "rstrip",
             "removeprefix", "removesuffix", "lower", "replace", "isdigit"}  # fmt: skip
_BUILT_IN: Mapping[str, Callable[..., Any]] = {
    "str": str, "int": int, "bool": bool, "len": len, "any": any, "all": all, "min": min, "max": max,
    "tuple": tuple, "list": tuple, "sorted": lambda several: tuple(sorted(several)),
}  # fmt: skip
_COMPARING: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip


class _Mark:
    """What stands for no value of Python."""

    def __init__(self, says: str) -> None:
        self.says = says

    def __repr__(self) -> str:
        return self.says


#: What cannot be read.
UNKNOWN: Final = _Mark("unknown")
#: The upstream's version under a name that says nothing of its type.
OWN_VERSION: Final = _Mark("the version")
#: What says that upstream is installed: it is true, and no None.
INSTALLED: Final = _Mark("installed")
_GOES_ON: Final = _Mark("goes on")

#: A value of Python, or one of these marks.
Value: TypeAlias = Any
_Names: TypeAlias = Mapping[str, Value]
_Ways: TypeAlias = list[tuple[_Names, Value]]


@dataclass
class Evaluation:
    """Follows code where one of ``packages`` has a ``version``. ``helpers`` are functions of the project,
    ``constants`` the texts of what names of the module are given once; ``asks`` answers a call that is
    neither. ``spoke`` says whether anything was asked of upstream."""

    version: Version
    packages: tuple[str, ...]
    helpers: VersionHelpers = ()
    constants: tuple[tuple[str, str], ...] = ()
    asks: Callable[[ast.expr], bool | None] = lambda _: None
    depth: int = 0
    spoke: bool = False
    _left: list[int] = field(default_factory=lambda: [_MOST_STEPS])

    def truth(self, node: ast.expr, names: _Names | None = None) -> bool | None:
        """Whether a condition holds; None where that cannot be read."""
        value = self.value(node, names or {})
        if value is UNKNOWN:
            return None
        return True if isinstance(value, _Mark) else bool(value)

    def value(self, node: ast.expr | None, names: _Names) -> Value:
        """What an expression comes to where names of a function have values."""
        self._left[0] -= 1
        if self._left[0] < 0:
            return UNKNOWN
        try:
            return self._value(node, names)
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, InvalidVersion):
            # It raises here, or what it asks of a mark has no answer.
            return UNKNOWN

    def _value(self, node: ast.expr | None, names: _Names) -> Value:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return names[name] if name in names else self._named(node, name)
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                return tuple(self.value(each, names) for each in elements)
            case ast.NamedExpr(value=inner):
                return self.value(inner, names)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                told = self.truth(operand, names)
                return UNKNOWN if told is None else not told
            case ast.BoolOp(op=op, values=values):
                return self._settled(isinstance(op, ast.Or), values, names)
            case ast.IfExp(test=test, body=body, orelse=other):
                told = self.truth(test, names)
                return UNKNOWN if told is None else self.value(body if told else other, names)
            case ast.Compare():
                return self._compared(node, names)
            case ast.Attribute(value=inner, attr=attr):
                return self._attribute(node, inner, attr, names)
            case ast.Subscript(value=inner, slice=at):
                return self._part(self.value(inner, names), at, names)
            case ast.Call():
                return self._called(node, names)
            case ast.GeneratorExp() | ast.ListComp():
                return self._each(node, names)
        return UNKNOWN

    def _named(self, node: ast.expr, name: str) -> Value:
        """What is given to a name of the module once, else what is named as upstream's version."""
        text = dict(self.constants).get(name)
        given = expression(text) if text is not None else None
        if given is not None and self.depth < _MOST_DEPTH:
            inside = self._further(constants=tuple(c for c in self.constants if c[0] != name))
            told = inside.value(given, {})
            self.spoke |= inside.spoke
            if told is not UNKNOWN:
                return told
        return self._of_upstream(node)

    def _of_upstream(self, node: ast.expr) -> Value:
        """What is named as the version of a package."""
        try:
            value, named = value_of(node, self.version, self.packages)
        except Unreadable:
            return UNKNOWN
        if not named:
            return UNKNOWN
        self.spoke = True
        return OWN_VERSION if value is None else value

    def _settled(self, settling: bool, values: Sequence[ast.expr], names: _Names) -> Value:
        """The first of some values that decides, else the last one; one that is unknown may be of no matter."""
        unknown = False
        last: Value = UNKNOWN
        for value in values:
            last = self.value(value, names)
            told = None if last is UNKNOWN else True if isinstance(last, _Mark) else bool(last)
            if told is settling:
                return settling if unknown else last
            unknown = unknown or told is None
        return UNKNOWN if unknown else last

    def _compared(self, node: ast.Compare, names: _Names) -> Value:
        sides = [self.value(side, names) for side in (node.left, *node.comparators)]
        answers = [
            _holds(op, one, other, self.version)
            for op, one, other in zip(node.ops, sides, sides[1:], strict=False)
        ]
        return False if False in answers else UNKNOWN if UNKNOWN in answers else True

    def _attribute(self, node: ast.expr, inner: ast.expr, attr: str, names: _Names) -> Value:
        told = self._of_upstream(node) if not _begins_with(node, names) else UNKNOWN
        if told is not UNKNOWN:
            return told
        owner = self.value(inner, names)
        if isinstance(owner, Version) and attr in _OF_VERSIONS:
            return getattr(owner, attr)
        return UNKNOWN

    def _part(self, owner: Value, at: ast.expr, names: _Names) -> Value:
        if owner is INSTALLED:
            owner = (True, str(self.version))
        if not isinstance(owner, str | tuple):
            return UNKNOWN
        if isinstance(at, ast.Slice):
            ends = [None if e is None else self.value(e, names) for e in (at.lower, at.upper, at.step)]
            return UNKNOWN if UNKNOWN in ends else owner[slice(*ends)]
        place = self.value(at, names)
        return owner[place] if isinstance(place, int) else UNKNOWN

    def _each(self, node: ast.GeneratorExp | ast.ListComp, names: _Names) -> Value:
        match node.generators:
            case [ast.comprehension(target=ast.Name(id=name), iter=several, ifs=tests)]:
                of = self.value(several, names)
                if not isinstance(of, tuple) or len(of) > _MOST_WAYS:
                    return UNKNOWN
                found = []
                for each in of:
                    held = {**names, name: each}
                    told = [self.truth(test, held) for test in tests]
                    if None in told:
                        return UNKNOWN
                    found += [self.value(node.elt, held)] if all(told) else []
                return tuple(found)
        return UNKNOWN

    def _called(self, node: ast.Call, names: _Names) -> Value:
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else dotted(function) or ""
        helper = by_name(self.helpers).get(name)
        if helper is not None and self.depth < _MOST_DEPTH:
            told = self.returned(name, helper, node, names)
            if told is not UNKNOWN:
                return told
        told = self._known_function(node, name, names)
        if told is not UNKNOWN:
            return told
        answer = self.asks(_filled(node, names))
        self.spoke |= answer is not None
        return UNKNOWN if answer is None else answer

    def _known_function(self, node: ast.Call, name: str, names: _Names) -> Value:
        given = [self.value(argument, names) for argument in node.args]
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value, names)
            if isinstance(owner, SpecifierSet) and name == "contains":
                version = _as_version(given[0], self.version) if given else None
                return UNKNOWN if version is None else owner.contains(version, prereleases=True)
            if isinstance(owner, str) and name in _OF_TEXTS:
                told = UNKNOWN if UNKNOWN in given or node.keywords else getattr(owner, name)(*given)
                return tuple(told) if isinstance(told, list) else told
        if any(isinstance(g, str) and plain_name(g) in map(plain_name, self.packages) for g in given):
            words = re.findall(r"[a-z]+", name.lower())
            self.spoke = True
            if name in ("version", "get_version", "get_package_version"):
                return str(self.version)
            if not _AVAILABLE.isdisjoint(words):
                return INSTALLED
        if len(given) == 1 and not node.keywords:
            if name in _MAKERS:
                return _as_version(given[0], self.version) or UNKNOWN
            if name == "SpecifierSet" and isinstance(given[0], str):
                return _specifiers(given[0])
            if given[0] is OWN_VERSION and name == "str":
                return str(self.version)
        if name == "map" and len(node.args) == 2 and isinstance(given[1], tuple):
            function = _BUILT_IN.get(dotted(node.args[0]) or "")
            return tuple(map(function, given[1])) if function is not None else UNKNOWN
        built_in = _BUILT_IN.get(name) if isinstance(node.func, ast.Name) and not node.keywords else None
        if built_in is None or not given or any(isinstance(g, _Mark) or _has_mark(g) for g in given):
            return UNKNOWN
        return built_in(*given)

    def truth_of_call(self, name: str, helper: VersionHelper, call: ast.Call) -> bool | None:
        """What a call of a function of the project says; None where that cannot be read."""
        told = self.returned(name, helper, call, {})
        return True if told is INSTALLED else told if isinstance(told, bool) else None

    def returned(self, name: str, helper: VersionHelper, call: ast.Call, names: _Names) -> Value:
        """What a call of a function of the project gives, where all ways through it give the same."""
        function = function_of(helper.text)
        if function is None or len(call.args) > len(helper.parameters):
            return UNKNOWN
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            return UNKNOWN
        given = {p: self.value(expression(d), {}) for p, d in helper.parameters if d is not None}
        given.update(
            (p, self.value(value, names)) for (p, _), value in zip(helper.parameters, call.args, strict=False)
        )
        given.update((k.arg, self.value(k.value, names)) for k in call.keywords if k.arg is not None)
        if given.keys() != {p for p, _ in helper.parameters}:
            return UNKNOWN
        # One that asks itself is not followed.
        others = tuple(known for known in self.helpers if known[0] != name)
        inside = self._further(helpers=others, constants=helper.constants)
        ways = inside._through(function.body, given)
        self.spoke |= inside.spoke
        answers = [answer for _, answer in ways if answer is not _GOES_ON]
        first = answers[0] if answers else UNKNOWN
        same = all(type(each) is type(first) and each == first for each in answers)
        return first if same and not any(answer is _GOES_ON for _, answer in ways) else UNKNOWN

    def _further(
        self, helpers: VersionHelpers | None = None, constants: tuple[tuple[str, str], ...] = ()
    ) -> Evaluation:
        known = self.helpers if helpers is None else helpers
        return Evaluation(
            self.version, self.packages, known, constants, self.asks, self.depth + 1, False, self._left
        )

    def _through(self, body: Sequence[ast.stmt], names: _Names) -> _Ways:
        """The ways through some statements: what the names hold at the end of each, and what it returned."""
        ways: _Ways = [(names, _GOES_ON)]
        for statement in body:
            following: _Ways = []
            for held, answer in ways:
                following += self._step(statement, held) if answer is _GOES_ON else [(held, answer)]
            ways = following
            if len(ways) > _MOST_WAYS:
                return [(names, UNKNOWN)]
        return ways

    def _step(self, statement: ast.stmt, names: _Names) -> _Ways:
        self._left[0] -= 1
        if self._left[0] < 0:
            return [(names, UNKNOWN)]
        match statement:
            case ast.Return(value=value):
                return [(names, self.value(value, names) if value is not None else None)]
            case ast.Raise():
                return []
            case ast.If(test=test, body=body, orelse=other):
                told = self.truth(test, names)
                return [
                    *([] if told is False else self._through(body, names)),
                    *([] if told else self._through(other, names)),
                ]
            case ast.Try(body=body, orelse=other, finalbody=last):
                # Upstream is there: what its absence raises is not raised.
                return self._through([*body, *other, *last], names)
            case ast.With(body=body):
                return self._through(body, names)
            case ast.For(target=ast.Name(id=name), iter=several, body=body, orelse=[]):
                return self._over(self.value(several, names), name, body, names)
            case ast.Assign(targets=[target], value=value):
                return [({**names, **self._bound(target, self.value(value, names))}, _GOES_ON)]
            case ast.AnnAssign(target=target, value=value):
                held = self.value(value, names) if value is not None else UNKNOWN
                return [({**names, **self._bound(target, held)}, _GOES_ON)]
            case (
                ast.Import() | ast.ImportFrom() | ast.Expr() | ast.Pass() | ast.Assert() | ast.Global()
                | ast.Nonlocal()
            ):  # fmt: skip
                return [(names, _GOES_ON)]
        return [(names, UNKNOWN)]

    def _over(self, several: Value, name: str, body: Sequence[ast.stmt], names: _Names) -> _Ways:
        leaves = any(isinstance(n, ast.Break | ast.Continue) for s in body for n in ast.walk(s))
        if not isinstance(several, tuple) or leaves:
            return [(names, UNKNOWN)]
        ways: _Ways = [(names, _GOES_ON)]
        for each in several:
            ways = [
                way
                for held, answer in ways
                for way in (
                    self._through(body, {**held, name: each}) if answer is _GOES_ON else [(held, answer)]
                )
            ]
            if len(ways) > _MOST_WAYS:
                return [(names, UNKNOWN)]
        return ways

    def _bound(self, target: ast.expr, value: Value) -> dict[str, Value]:
        """What an assignment gives names."""
        match target:
            case ast.Name(id=name):
                too_long = isinstance(value, str | tuple) and len(value) > _LONGEST
                return {name: UNKNOWN if too_long else value}
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                if value is INSTALLED and len(targets) == 2:
                    value = (True, str(self.version))
                known = isinstance(value, tuple) and len(value) == len(targets)
                values = value if known else [UNKNOWN] * len(targets)
                found: dict[str, Value] = {}
                for inner, each in zip(targets, values, strict=True):
                    found.update(self._bound(inner, each))
                return found
        return {}


def _begins_with(node: ast.expr, names: Collection[str]) -> bool:
    return (dotted(node) or "").partition(".")[0] in names


def _as_version(value: Value, version: Version) -> Version | None:
    if value is OWN_VERSION:
        return version
    return Version(value) if isinstance(value, str) else value if isinstance(value, Version) else None


def _specifiers(text: str) -> Value:
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        return UNKNOWN


def _has_mark(value: Value) -> bool:
    return isinstance(value, tuple) and any(isinstance(each, _Mark) or _has_mark(each) for each in value)


def _holds(op: ast.cmpop, one: Value, other: Value, version: Version) -> Value:
    """What a comparison of two values is; where one is the version of whatever type, what all readings say."""
    if isinstance(op, ast.Is | ast.IsNot) and None in (one, other) and UNKNOWN not in (one, other):
        return (one is other) is isinstance(op, ast.Is)
    if OWN_VERSION in (one, other):
        rest = other if one is OWN_VERSION else one
        readings: list[Value] = [version]
        if isinstance(rest, tuple):
            readings = [version.release]
        elif isinstance(rest, str) and isinstance(op, ast.In | ast.NotIn):
            return UNKNOWN
        elif isinstance(rest, str):
            told = {
                _holds(op, *((version, Version(rest)) if one is OWN_VERSION else (Version(rest), version)), version),
                _holds(op, *((str(version), rest) if one is OWN_VERSION else (rest, str(version))), version),
            }  # fmt: skip
            return told.pop() if len(told) == 1 else UNKNOWN
        elif not isinstance(rest, Version | SpecifierSet):
            return UNKNOWN
        pairs = [(r, other) if one is OWN_VERSION else (one, r) for r in readings]
        return _holds(op, *pairs[0], version)
    if isinstance(other, SpecifierSet) and isinstance(op, ast.In | ast.NotIn):
        known = _as_version(one, version)
        if known is None:
            return UNKNOWN
        return other.contains(known, prereleases=True) is isinstance(op, ast.In)
    if any(isinstance(side, _Mark) or _has_mark(side) for side in (one, other)):
        return UNKNOWN
    if isinstance(op, ast.In | ast.NotIn) and not isinstance(other, str | tuple):
        return UNKNOWN
    function = _COMPARING.get(type(op))
    return bool(function(one, other)) if function is not None else UNKNOWN


def _filled(node: ast.Call, names: _Names) -> ast.expr:
    """A call with the values of names in their places, as far as they can be written."""
    written = {
        name: ast.Constant(value) for name, value in names.items() if isinstance(value, str | int | None)
    }
    whole = ast.Expression(expression(ast.unparse(node)) or node)
    _Filling(written).visit(whole)
    return whole.body


class _Filling(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)
