"""Signatures as type checkers print them, and what a caller of the one stumbles over in the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from syncbot.api.model import Function, Parameter, Passing
from syncbot.api.signatures import Signature

_OPEN, _CLOSE = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class Printed(Signature):
    """A signature without ``self``; ``returns`` is the printed return type, empty where unknown."""

    returns: str = ""

    def named(self, name: str) -> Parameter | None:
        """The parameter that can be passed by this name."""
        return next((p for p in self.parameters if p.name == name and p.kind in ("any", "key")), None)


@dataclass(frozen=True, slots=True)
class Misfit:
    """One thing that a call made for one signature meets in the other. ``kind`` is ``unaccepted`` (ours does
    not take it), ``required`` (ours wants it, theirs has it not), ``renamed`` (at a position) or ``default``
    (optional in theirs alone); ``position`` is None for keyword-only."""

    kind: str
    name: str
    other: str = ""
    position: int | None = None


def parse(text: str) -> Printed | None:
    """The signature in ``(a: int, b: str = ...) -> T`` or ``def name(self, a) -> T``, None without one."""
    start = text.find("(")
    if start < 0:
        return None
    end = _matching(text, start)
    if end is None:
        return None
    rest = text[end + 1 :].strip()
    parameters: list[Parameter] = []
    kind: Passing = "any"
    for piece in _split(text[start + 1 : end]):
        if piece == "/":
            parameters = [Parameter(p.name, "pos", p.default, p.annotation) for p in parameters]
        elif piece == "*":
            kind = "key"
        elif piece == "...":
            return None
        elif piece.startswith("**"):
            parameters.append(Parameter(piece[2:].partition(":")[0].strip(), "**"))
        elif piece.startswith("*"):
            parameters.append(Parameter(piece[1:].partition(":")[0].strip(), "*"))
            kind = "key"
        else:
            parameters.append(_parameter(piece, kind))
    if parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    return Printed(tuple(parameters), rest.removeprefix("->").strip() if rest.startswith("->") else "")


def of_function(function: Function, bound: bool) -> Printed:
    """The signature of a function as its source says; ``bound`` drops the first parameter."""
    parameters = function.parameters
    if bound and parameters and parameters[0].kind in ("pos", "any"):
        parameters = parameters[1:]
    return Printed(parameters, function.annotation or "")


def misfits(ours: Printed, theirs: Printed) -> tuple[Misfit, ...]:
    """Where a call that suits ``theirs`` does not suit ``ours``."""
    return tuple(_misfits(ours, theirs))


def _misfits(ours: Printed, theirs: Printed) -> Iterator[Misfit]:
    paired: set[str] = set()
    yield from _misplaced(ours, theirs, paired)
    for parameter in theirs.parameters:
        if parameter.kind == "key" and ours.named(parameter.name) is None and not ours.has("**"):
            yield Misfit("unaccepted", parameter.name)
    for parameter in ours.parameters:
        known = parameter.name in paired or theirs.named(parameter.name) is not None
        if parameter.required and not known and not theirs.has("*") and not theirs.has("**"):
            yield Misfit("required", parameter.name)


def _misplaced(ours: Printed, theirs: Printed, paired: set[str]) -> Iterator[Misfit]:
    """The misfits of what can be passed by place; ``paired`` gets the names that stand in one place."""
    mine, other = ours.positional, theirs.positional
    open_keywords, open_positions = ours.has("**"), ours.has("*")
    for position, parameter in enumerate(other):
        if position < len(mine):
            here = mine[position]
            if here.name == parameter.name:
                paired.add(here.name)
                if here.required and not parameter.required:
                    yield Misfit("default", here.name, position=position)
                continue
            if ours.named(parameter.name) is None and theirs.named(here.name) is None:
                paired |= {here.name, parameter.name}
                if parameter.kind == "any":
                    yield Misfit("renamed", parameter.name, here.name, position)
                continue
        if ours.named(parameter.name) is None and not (
            open_keywords or (open_positions and position >= len(mine))
        ):
            yield Misfit("unaccepted", parameter.name, position=position)


def _parameter(piece: str, kind: Passing) -> Parameter:
    name, default, depth = piece, None, 0
    for at, letter in enumerate(piece):
        depth += (letter in _OPEN) - (letter in _CLOSE)
        if letter == "=" and depth == 0:
            name, default = piece[:at], piece[at + 1 :].strip()
            break
    head, _, annotation = name.partition(":")
    return Parameter(head.strip(), kind, default, annotation.strip() or None)


def _split(text: str) -> Sequence[str]:
    pieces, depth, last = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in _OPEN) - (letter in _CLOSE)
        if letter == "," and depth == 0:
            pieces.append(text[last:at].strip())
            last = at + 1
    pieces.append(text[last:].strip())
    return [piece for piece in pieces if piece]


def _matching(text: str, start: int) -> int | None:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in _OPEN) - (text[at] in _CLOSE)
        if depth == 0:
            return at
    return None
