"""A rule for what a test expects a mock to have been called with."""

from __future__ import annotations

import re
from dataclasses import dataclass

from syncbot.api.signatures import Signature
from syncbot.suites.case import Case, Shown
from syncbot.suites.lane_sources import LaneSources

_CALLS = re.compile(r"Expected: (?:[\w.]+\.)?(\w+)\((.*)\)\n\s*Actual: (?:[\w.]+\.)?(\w+)\((.*)\)(?:\n|$)")


def expected_call(case: Case) -> Shown | None:
    """A test that expects a call without an argument which upstream's function of that name began to take."""
    told = _CALLS.search(case.cause.message)
    if case.kind != "AssertionError" or told is None or not case.is_of_test(case.ours) or told[1] != told[3]:
        return None
    name, added = told[1], _added(told[2], told[4])
    takes = _taking(case.lane, name, added) if added is not None else []
    if added is None or not takes or _taking(case.release, name, added):
        return None
    return Shown("pins", f"the test expects a call of {name}() without {added}; {takes[0]}() takes it now")


def arguments(text: str) -> tuple[list[str], dict[str, str]]:
    """The arguments of a call as it is printed: those by position, and those by name."""
    positional: list[str] = []
    named: dict[str, str] = {}
    for part in _parts(text):
        told = re.match(r"(\w+)=(?!=)", part)
        if told is not None:
            named[told[1]] = part[told.end() :]
        else:
            positional.append(part)
    return positional, named


def _parts(text: str) -> list[str]:
    """Return the parts of a text between the commas that are outside brackets and quotes."""
    parts, depth, quote = [""], 0, ""
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote and text[at - 1] != "\\" else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "([{<":
            depth += 1
        elif sign in ")]}>":
            depth -= 1
        elif sign == "," and not depth:
            parts.append("")
            continue
        parts[-1] += sign
    return [each.strip() for each in parts if each.strip()]


@dataclass(frozen=True, slots=True)
class _Added:
    """The arguments that a call adds to another: names, and how many it then has by position."""

    names: tuple[str, ...]
    positional: int

    def taken_by(self, signature: Signature) -> bool:
        """Whether a signature takes it, by its own names."""
        return set(self.names) <= signature.names and self.positional <= len(signature.positional)

    def __str__(self) -> str:
        return ", ".join(self.names) or f"the last of its {self.positional} arguments"


def _added(expected: str, actual: str) -> _Added | None:
    """Return the arguments that an actual call adds to the expected one; None where they differ otherwise."""
    (before, named), (after, others) = arguments(expected), arguments(actual)
    same = after[: len(before)] == before and all(others.get(name) == value for name, value in named.items())
    names = tuple(name for name in others if name not in named)
    more = len(after) > len(before)
    return _Added(names, len(after) if more else 0) if same and (names or more) else None


def _taking(end: LaneSources, name: str, added: _Added) -> list[str]:
    """The functions and methods of upstream of a name that take what was added."""
    functions = [symbol.name for symbol in end.named(name) if symbol.kind == "function"]
    methods = [f"{holder.name}.{name}" for holder in end.holders(name)]
    return [
        each
        for each in (*functions, *methods)
        if end.is_upstream(each) and any(added.taken_by(signature) for signature in end.signatures(each))
    ]
