"""Tests that pass on a release and not on a lane, put together by what stopped them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from syncbot.verify.suite.outcomes import Cause, Frame, SuiteOutcome, SuiteTest

ABSENT = "absent"
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
#: The end of an address, where pytest cut a text in the middle.
_CUT = re.compile(r"\.\.\.[0-9a-f]{1,12}>")
_ID = re.compile(r"\bid='\d+'")
#: pytest numbers what it cannot name: ``config0``, ``None1``.
_NUMBERED = re.compile(r"\d+(?=-|\]|$)")
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Difference:
    """A test that passes on the release, by its name there; what became of it on the lane, and why."""

    node: str
    outcome: str
    cause: Cause


@dataclass(frozen=True, slots=True)
class Group:
    """Differences of one cause: the error in one line without what changes from run to run, and where it came
    up, as file and function without a line; these two name it. Where nobody knows the place it is
    the test, and empty of those that are absent. ``elsewhere`` are further places of the same cause."""

    message: str
    where: str
    differences: tuple[Difference, ...]
    elsewhere: tuple[str, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        """All places where it came up."""
        return self.where, *self.elsewhere

    @property
    def cause(self) -> Cause:
        """The cause of the first of them."""
        return self.differences[0].cause

    @property
    def frame(self) -> Frame | None:
        """The innermost frame of the first of them."""
        return self.cause.frames[-1] if self.cause.frames else None


def differences(before: SuiteOutcome, after: SuiteOutcome) -> list[Difference]:
    """Return what passes before and not after, sorted. Tests are known by their names; of those of a function
    that nobody has after, by their parameters without the numbers that pytest gives, in their order."""
    found = {test.node: test for test in after.tests}
    left: dict[str, list[SuiteTest]] = {}
    known = {test.node for test in before.tests}
    for each in after.files.values():
        for test in each.tests:
            if test.node not in known:
                left.setdefault(_unnumbered(test.node), []).append(test)
    differing = []
    # In the order in which they ran: of those that differ by a number alone the first is the first.
    for each in before.files.values():
        for test in each.tests:
            if test.outcome != "pass":
                # It takes its place among those of its kind all the same.
                if test.node not in found:
                    _next(left, test.node)
                continue
            now = found.get(test.node) or _next(left, test.node)
            if now is None:
                differing.append(Difference(test.node, ABSENT, _why_absent(found, test)))
            elif now.outcome != "pass":
                differing.append(Difference(test.node, now.outcome, now.cause or _nothing(now.outcome)))
    return sorted(differing, key=lambda each: each.node)


def _unnumbered(node: str) -> str:
    name, bracket, parameters = node.partition("[")
    return f"{name}{bracket}{_NUMBERED.sub('#', parameters)}"


def _next(left: dict[str, list[SuiteTest]], node: str) -> SuiteTest | None:
    same = left.get(_unnumbered(node))
    return same.pop(0) if same else None


def _why_absent(found: dict[str, SuiteTest], test: SuiteTest) -> Cause:
    """Why a test is not there: what ended its file, or a part of it, before it could be collected."""
    place = test.node
    while place:
        place = place.rpartition("::")[0]
        around = found.get(place)
        if around is not None and around.cause is not None:
            return around.cause
    return _nothing(ABSENT)


def _nothing(outcome: str) -> Cause:
    return Cause("", {"skip": "is skipped", ABSENT: "is not collected"}.get(outcome, outcome))


def grouped(found: Sequence[Difference], packages: Collection[str], folders: Collection[str]) -> list[Group]:
    """Put differences together by cause, the largest group first. ``packages`` are those of the plugin and of
    its upstream, ``folders`` those of tests: a frame elsewhere does not say where."""
    tops = {*packages, *(folder.partition("/")[0] for folder in folders)}
    groups: dict[tuple[str, str], list[Difference]] = {}
    for each in found:
        came_up = where(each.cause, tops) or _itself(each)
        groups.setdefault((message(each.cause), came_up), []).append(each)
    made = [Group(text, came_up, tuple(group)) for (text, came_up), group in groups.items()]
    return sorted(made, key=place)


def place(group: Group) -> tuple[int, str, str]:
    """Where a group stands among others: the largest first."""
    return -len(group.differences), group.message, group.where


def joined(groups: Sequence[Group]) -> Group:
    """Several groups of one cause as one, which the first names, with all places."""
    first = groups[0]
    found = sorted((each for group in groups for each in group.differences), key=lambda each: each.node)
    # What is looked at further is the first of the first.
    found.remove(first.differences[0])
    places = (place for group in groups for place in group.places)
    return Group(
        first.message, first.where, (first.differences[0], *found), tuple(sorted({*places} - {first.where}))
    )


def _itself(difference: Difference) -> str:
    """The test, where nothing else is known of where; one that is not there did nothing itself."""
    return difference.node.partition("[")[0] if difference.outcome != ABSENT else ""


def message(cause: Cause) -> str:
    """The error in one line, without addresses and numbers."""
    text = _CUT.sub("...>", _ID.sub("id=N", _ADDRESS.sub("0xN", cause.first_line)))
    return _NUMBER.sub("N", text)[:_LONGEST]


def where(cause: Cause, tops: Collection[str]) -> str:
    """The file and the function of the innermost frame that is the plugin's, upstream's or of a test."""
    frame = next(_inside(cause, tops), None)
    return f"{frame.file}: {frame.function}" if frame is not None else ""


def _inside(cause: Cause, tops: Collection[str]) -> Iterator[Frame]:
    """The frames of known folders, the innermost first."""
    return (frame for frame in reversed(cause.frames) if frame.file.partition("/")[0] in tops)
