"""The results of expressions and small functions where upstream has one version: they are followed as they
are written. What cannot be read is UNKNOWN, and both ways are followed where that decides."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from syncbot.api.expressions import dotted, expression
from syncbot.contracts.conditions.evaluated_values import (
    INSTALLED,
    OWN_VERSION,
    UNKNOWN,
    Mark,
    Value,
    as_version,
    has_mark,
    holds,
    specifiers,
    truth_of,
)
from syncbot.contracts.conditions.version_helpers import VersionHelper, VersionHelpers, by_name, function_of
from syncbot.contracts.conditions.version_values import Unreadable, plain_name, value_of
from syncbot.contracts.conditions.ways_through import GOES_ON, MOST_WAYS, Names, WaysThrough

# A test of a version is short. What somebody else wrote may be made to take for ever.
_MOST_STEPS = 400
_MOST_DEPTH = 4
_LONGEST = 1000
_AVAILABLE = {"available", "installed", "importable"}
#: What makes a version to compare.
MAKERS = {"Version", "parse", "parse_version", "LooseVersion", "StrictVersion"}
_OF_VERSIONS = {"base_version", "public", "release", "major", "minor", "micro", "is_prerelease"}
_OF_TEXTS = {"split", "rsplit", "partition", "rpartition", "startswith", "endswith", "strip", "lstrip",
             "rstrip", "removeprefix", "removesuffix", "lower", "replace", "isdigit"}  # fmt: skip
_BUILT_IN: Mapping[str, Callable[..., Any]] = {
    "str": str, "int": int, "bool": bool, "len": len, "any": any, "all": all, "min": min, "max": max,
    "tuple": tuple, "list": tuple, "sorted": lambda several: tuple(sorted(several)),
}  # fmt: skip


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

    def truth(self, node: ast.expr, names: Names | None = None) -> bool | None:
        """Whether a condition holds; None where that cannot be read."""
        return truth_of(self.value(node, names or {}))

    def step(self) -> bool:
        """Take one of the steps that are left; False where none is."""
        self._left[0] -= 1
        return self._left[0] >= 0

    def value(self, node: ast.expr | None, names: Names) -> Value:
        """Return what an expression comes to where names of a function have values."""
        if not self.step():
            return UNKNOWN
        try:
            return self._value(node, names)
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, InvalidVersion):
            # It raises here, or what it asks of a mark has no answer.
            return UNKNOWN

    def _value(self, node: ast.expr | None, names: Names) -> Value:
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
        """Return what is given to a name of the module once, else what is named as upstream's version."""
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
        """Return what is named as the version of a package."""
        try:
            value, named = value_of(node, self.version, self.packages)
        except Unreadable:
            return UNKNOWN
        if not named:
            return UNKNOWN
        self.spoke = True
        return OWN_VERSION if value is None else value

    def _settled(self, settling: bool, values: Sequence[ast.expr], names: Names) -> Value:
        """The first of some values that decides, else the last one; what is unknown may be of no matter."""
        unknown = False
        last: Value = UNKNOWN
        for value in values:
            last = self.value(value, names)
            told = truth_of(last)
            if told is settling:
                return settling if unknown else last
            unknown = unknown or told is None
        return UNKNOWN if unknown else last

    def _compared(self, node: ast.Compare, names: Names) -> Value:
        sides = [self.value(side, names) for side in (node.left, *node.comparators)]
        answers = [
            holds(op, one, other, self.version)
            for op, one, other in zip(node.ops, sides, sides[1:], strict=False)
        ]
        return False if False in answers else UNKNOWN if UNKNOWN in answers else True

    def _attribute(self, node: ast.expr, inner: ast.expr, attr: str, names: Names) -> Value:
        told = self._of_upstream(node) if not _begins_with(node, names) else UNKNOWN
        if told is not UNKNOWN:
            return told
        owner = self.value(inner, names)
        if isinstance(owner, Version) and attr in _OF_VERSIONS:
            return getattr(owner, attr)
        return UNKNOWN

    def _part(self, owner: Value, at: ast.expr, names: Names) -> Value:
        if owner is INSTALLED:
            owner = (True, str(self.version))
        if not isinstance(owner, str | tuple):
            return UNKNOWN
        if isinstance(at, ast.Slice):
            ends = [None if e is None else self.value(e, names) for e in (at.lower, at.upper, at.step)]
            return UNKNOWN if UNKNOWN in ends else owner[slice(*ends)]
        place = self.value(at, names)
        return owner[place] if isinstance(place, int) else UNKNOWN

    def _each(self, node: ast.GeneratorExp | ast.ListComp, names: Names) -> Value:
        match node.generators:
            case [ast.comprehension(target=ast.Name(id=name), iter=several, ifs=tests)]:
                of = self.value(several, names)
                if not isinstance(of, tuple) or len(of) > MOST_WAYS:
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

    def _called(self, node: ast.Call, names: Names) -> Value:
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

    def _known_function(self, node: ast.Call, name: str, names: Names) -> Value:
        """Return what a function of Python, of a version, or a question for the package gives."""
        given = [self.value(argument, names) for argument in node.args]
        if isinstance(node.func, ast.Attribute) and not node.keywords:
            told = self._method(self.value(node.func.value, names), name, given)
            if told is not UNKNOWN:
                return told
        if any(isinstance(g, str) and plain_name(g) in map(plain_name, self.packages) for g in given):
            told = self._asked_for(name)
            if told is not UNKNOWN:
                return told
        if node.keywords or not given:
            return UNKNOWN
        if len(given) == 1 and name in MAKERS:
            return as_version(given[0], self.version) or UNKNOWN
        if name == "SpecifierSet" and isinstance(given[0], str):
            return specifiers(given[0])
        return self._built_in(node, name, given)

    def _method(self, owner: Value, name: str, given: Sequence[Value]) -> Value:
        """Return what a method of a text or a set of versions gives."""
        if isinstance(owner, SpecifierSet) and name == "contains" and given:
            version = as_version(given[0], self.version)
            return UNKNOWN if version is None else owner.contains(version, prereleases=True)
        if isinstance(owner, str) and name in _OF_TEXTS and UNKNOWN not in given:
            if any(isinstance(text, str) and len(text) > _LONGEST for text in (owner, *given)):
                return UNKNOWN
            told = getattr(owner, name)(*given)
            return tuple(told) if isinstance(told, list) else told
        return UNKNOWN

    def _asked_for(self, function: str) -> Value:
        """Return what a function says that is given the name of the package."""
        self.spoke = True
        if function in ("version", "get_version", "get_package_version"):
            return str(self.version)
        words = re.findall(r"[a-z]+", function.lower())
        return INSTALLED if function == "find_spec" or not _AVAILABLE.isdisjoint(words) else UNKNOWN

    def _built_in(self, node: ast.Call, name: str, given: Sequence[Value]) -> Value:
        """Return what a function of Python gives."""
        if not isinstance(node.func, ast.Name):
            return UNKNOWN
        if given[0] is OWN_VERSION and name == "str":
            return str(self.version)
        if name == "map" and len(given) == 2 and isinstance(given[1], tuple):
            function = _BUILT_IN.get(dotted(node.args[0]) or "")
            return tuple(map(function, given[1])) if function is not None else UNKNOWN
        known = _BUILT_IN.get(name)
        marked = any(isinstance(g, Mark) or has_mark(g) for g in given)
        return UNKNOWN if known is None or marked else known(*given)

    def truth_of_call(self, name: str, helper: VersionHelper, call: ast.Call) -> bool | None:
        """Return what a call of a function of the project says; None where that cannot be read."""
        told = self.returned(name, helper, call, {})
        return True if told is INSTALLED else told if isinstance(told, bool) else None

    def returned(self, name: str, helper: VersionHelper, call: ast.Call, names: Names) -> Value:
        """Return what a call of a function of the project gives, where all ways through it give the same."""
        function = function_of(helper.text)
        given = self._given(helper, call, names) if function is not None else None
        if function is None or given is None:
            return UNKNOWN
        # One that asks itself is not followed.
        others = tuple(known for known in self.helpers if known[0] != name)
        inside = self._further(helpers=others, constants=helper.constants)
        answers = [answer for _, answer in WaysThrough(inside).through(function.body, given)]
        self.spoke |= inside.spoke
        if not answers or any(answer is GOES_ON for answer in answers):
            return UNKNOWN
        same = all(type(each) is type(answers[0]) and each == answers[0] for each in answers)
        return answers[0] if same else UNKNOWN

    def _given(self, helper: VersionHelper, call: ast.Call, names: Names) -> dict[str, Value] | None:
        """Return what the parameters of a function are given; None where the arguments do not fit."""
        starred = any(isinstance(argument, ast.Starred) for argument in call.args)
        if starred or len(call.args) > len(helper.parameters):
            return None
        given = {p: self.value(expression(d), {}) for p, d in helper.parameters if d is not None}
        placed = zip(helper.parameters, call.args, strict=False)
        given.update((p, self.value(value, names)) for (p, _), value in placed)
        given.update((k.arg, self.value(k.value, names)) for k in call.keywords if k.arg is not None)
        return given if given.keys() == {p for p, _ in helper.parameters} else None

    def _further(
        self, helpers: VersionHelpers | None = None, constants: tuple[tuple[str, str], ...] = ()
    ) -> Evaluation:
        known = self.helpers if helpers is None else helpers
        return Evaluation(
            self.version, self.packages, known, constants, self.asks, self.depth + 1, False, self._left
        )


def _begins_with(node: ast.expr, names: Collection[str]) -> bool:
    return (dotted(node) or "").partition(".")[0] in names


def _filled(node: ast.Call, names: Names) -> ast.expr:
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
