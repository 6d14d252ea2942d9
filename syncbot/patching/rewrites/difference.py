"""Upstream changed what a file of the backend has to say, in a way no general rule covers."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field, field_validator

from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import Rule, rule
from syncbot.patching.source import Source
from syncbot.patching.statement_rules import FileRule

_HEAD = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Lines that stand at 0-based ``place``, and those instead."""

    place: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@rule("difference")
class Difference(FileRule):
    """Change lines of one file as a unified diff says, which has to fit exactly; lines may have moved as a
    whole."""

    diff: str = Field(description="hunks of a unified diff, without the names of files")

    @field_validator("diff")
    @classmethod
    def _has_hunks(cls, value: str) -> str:
        if not [*_hunks(value)]:
            raise ValueError("a difference has at least one hunk")
        return value

    def forward(self, source: Source) -> str:
        """The lines before to those after."""
        newline = "\r" if "\r\n" in source.text else ""
        lines = [line.removesuffix("\r") if newline else line for line in source.text.split("\n")]
        return f"{newline}\n".join(changed(lines, self.diff, source.path))

    def mirror(self) -> Rule:
        """The difference the other way round."""
        turned = {"-": "+", "+": "-"}
        lines = [
            _HEAD.sub(_exchanged, line)
            if line.startswith("@@")
            else turned.get(line[:1], line[:1]) + line[1:]
            for line in self.diff.split("\n")
        ]
        return self.model_copy(update={"diff": "\n".join(lines)})


def changed(lines: Sequence[str], diff: str, who: str) -> list[str]:
    """Return lines as a diff changes them. Raises NoMatch, CannotRewrite."""
    done, at = list[str](), 0
    for number, hunk in enumerate(_hunks(diff), 1):
        place = _place(hunk, lines, at, f"{who}: hunk {number}")
        done += [*lines[at:place], *hunk.after]
        at = place + len(hunk.before)
    return [*done, *lines[at:]]


def _exchanged(head: re.Match[str]) -> str:
    _, before, after, rest = head[0].split(" ", 3)
    return f"@@ -{after[1:]} +{before[1:]} {rest}"


def _hunks(diff: str) -> Iterator[_Hunk]:
    lines = diff.removesuffix("\n").split("\n")
    starts = [at for at, line in enumerate(lines) if line.startswith("@@")]
    if starts[:1] != [0]:
        raise ValueError("a difference begins with a hunk, such as '@@ -1,3 +1,4 @@'")
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        head, body = _HEAD.match(lines[start]), lines[start + 1 : end]
        if head is None:
            raise ValueError(f"{lines[start]!r} begins no hunk: write it as '@@ -1,3 +1,4 @@'")
        marks = [line[:1] or " " for line in body]
        if set(marks) - set(" +-"):
            raise ValueError("a line of a hunk begins with a space, '+' or '-'")
        before, after = (
            tuple(line[1:] for line, mark in zip(body, marks, strict=True) if mark in kept)
            for kept in (" -", " +")
        )
        if before == after:
            raise ValueError("a hunk of a difference changes at least one line")
        yield _Hunk(max(int(head[1]) - 1, 0), before, after)


def _place(hunk: _Hunk, lines: Sequence[str], start: int, who: str) -> int:
    """Where a hunk stands. Raises NoMatch, also where it was made already, and CannotRewrite where it could
    be one of several places."""
    found = _places(hunk.before, lines, start)
    if len(hunk.after) > len(hunk.before) and set(found) & set(_places(hunk.after, lines, start)):
        raise NoMatch(f"{who} is there already")
    if not found:
        lost = next((line for line in hunk.before if line.strip() and line not in lines), None)
        why = f"there is no line {lost.strip()!r}" if lost is not None else "its lines stand nowhere together"
        raise NoMatch(f"{who} does not fit: {why}")
    if len(found) == 1:
        return found[0]
    if hunk.place in found:
        return hunk.place
    places = ", ".join(str(at + 1) for at in found[:3])
    raise CannotRewrite(f"{who} fits on lines {places}: give more of the text around it")


def _places(wanted: Sequence[str], lines: Sequence[str], start: int) -> list[int]:
    size = len(wanted)
    return [at for at in range(start, len(lines) - size + 1) if tuple(lines[at : at + size]) == wanted]


def difference(before: str, after: str) -> str:
    """Return the unified diff of two texts, as the rule takes it: with one line of context, or with up to
    three where its hunks would else fit at other places too."""
    old, new = (text.replace("\r\n", "\n").split("\n") for text in (before, after))
    found = (_unified(old, new, context) for context in (1, 2, 3))
    return next((diff for diff in found if _fits_once(diff, old, new)), _unified(old, new, 3))


def _unified(old: Sequence[str], new: Sequence[str], context: int) -> str:
    lines = difflib.unified_diff(old, new, lineterm="", n=context)
    # No patch needs to end a line with a space for an empty one; one of blanks alone is not empty.
    return "".join(f"{'' if line == ' ' else line}\n" for line in [*lines][2:])


def _fits_once(diff: str, old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether each hunk stands at one place only, both ways."""
    return not diff or all(
        len(_places(hunk.before, old, 0)) == len(_places(hunk.after, new, 0)) == 1 for hunk in _hunks(diff)
    )
