"""The ways through a small function, as far as its conditions can be told: what names hold, what it gives."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from packaging.version import Version

from syncbot.contracts.conditions.evaluated_values import INSTALLED, UNKNOWN, Mark, Value

#: So many ways are followed; what is written may have been made to take for ever.
MOST_WAYS = 16
_LONGEST = 200
#: What a way that has returned nothing yet has for its answer.
GOES_ON: Final = Mark("goes on")

#: What names of a function hold.
Names: TypeAlias = Mapping[str, Value]
_Ways: TypeAlias = list[tuple[Names, Value]]


class Evaluates(Protocol):
    """An evaluator of expressions, for so many steps."""

    version: Version
    packages: tuple[str, ...]

    def value(self, node: ast.expr | None, names: Names, /) -> Value:
        """Return what an expression comes to."""
        ...

    def truth(self, node: ast.expr, names: Names, /) -> bool | None:
        """Whether a condition holds; None where that is not known."""
        ...

    def step(self) -> bool:
        """Take a step; False where none is left."""
        ...


@dataclass(frozen=True, slots=True)
class WaysThrough:
    """Follows statements, on both ways where a condition is not known."""

    run: Evaluates

    def through(self, body: Sequence[ast.stmt], names: Names) -> _Ways:
        """The ways through some statements: what the names hold at the end of each, and what it returned."""
        ways: _Ways = [(names, GOES_ON)]
        for statement in body:
            following: _Ways = []
            for held, answer in ways:
                following += self._step(statement, held) if answer is GOES_ON else [(held, answer)]
            ways = following
            if len(ways) > MOST_WAYS:
                return [(names, UNKNOWN)]
        return ways

    def _step(self, statement: ast.stmt, names: Names) -> _Ways:
        if not self.run.step():
            return [(names, UNKNOWN)]
        match statement:
            case ast.Return(value=value):
                return [(names, self.run.value(value, names) if value is not None else None)]
            case ast.Raise():
                return []
            case ast.If(test=test, body=body, orelse=other):
                told = self.run.truth(test, names)
                return [
                    *([] if told is False else self.through(body, names)),
                    *([] if told else self.through(other, names)),
                ]
            case ast.Try(body=body, handlers=handlers, orelse=other, finalbody=last):
                # Upstream is there: what its absence raises is not raised. What it has inside is not known.
                caught = handlers if any(map(self._may_fail, body)) else []
                ways = self.through([*body, *other, *last], names)
                return [*ways, *(way for h in caught for way in self.through([*h.body, *last], names))]
            case ast.With(body=body):
                return self.through(body, names)
            case ast.For(target=ast.Name(id=name), iter=several, body=body, orelse=[]):
                return self._over(self.run.value(several, names), name, body, names)
            case ast.Assign(targets=[target], value=value):
                return [({**names, **self._bound(target, self.run.value(value, names))}, GOES_ON)]
            case ast.AnnAssign(target=target, value=value):
                held = self.run.value(value, names) if value is not None else UNKNOWN
                return [({**names, **self._bound(target, held)}, GOES_ON)]
            case (
                ast.Import() | ast.ImportFrom() | ast.Expr() | ast.Pass() | ast.Assert() | ast.Global()
                | ast.Nonlocal()
            ):  # fmt: skip
                return [(names, GOES_ON)]
        return [(names, UNKNOWN)]

    def _may_fail(self, statement: ast.stmt) -> bool:
        """Whether a statement imports something of upstream that one version may lack."""
        match statement:
            case ast.Import(names=names):
                return any("." in a.name and a.name.partition(".")[0] in self.run.packages for a in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                top, inside, _ = module.partition(".")
                return top in self.run.packages and (
                    bool(inside) or any(a.name != "__version__" for a in names)
                )
        return False

    def _over(self, several: Value, name: str, body: Sequence[ast.stmt], names: Names) -> _Ways:
        leaves = any(isinstance(n, ast.Break | ast.Continue) for s in body for n in ast.walk(s))
        if not isinstance(several, tuple) or leaves:
            return [(names, UNKNOWN)]
        ways: _Ways = [(names, GOES_ON)]
        for each in several:
            ways = [
                way
                for held, answer in ways
                for way in (
                    self.through(body, {**held, name: each}) if answer is GOES_ON else [(held, answer)]
                )
            ]
            if len(ways) > MOST_WAYS:
                return [(names, UNKNOWN)]
        return ways

    def _bound(self, target: ast.expr, value: Value) -> dict[str, Value]:
        """Return what an assignment gives names."""
        match target:
            case ast.Name(id=name):
                too_long = isinstance(value, str | tuple) and len(value) > _LONGEST
                return {name: UNKNOWN if too_long else value}
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                if value is INSTALLED and len(targets) == 2:
                    value = (True, str(self.run.version))
                known = isinstance(value, tuple) and len(value) == len(targets)
                values = value if known else [UNKNOWN] * len(targets)
                found: dict[str, Value] = {}
                for inner, each in zip(targets, values, strict=True):
                    found.update(self._bound(inner, each))
                return found
        return {}
