"""Equal exceptions folded into one failure, and causes separated from what follows from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from syncbot.triage.following_failures import followed, is_wrapper
from syncbot.triage.kinds import unbroken, understood
from syncbot.triage.model import FailedTest, Failure, Frame, Raised, Trace
from syncbot.triage.summary_tests import ShownErrors, entry_name, shown_error

# The first of two exceptions that a handler often looks for on purpose; what came after it is the failure.
_LOOKED_FOR = frozenset(
    {"KeyError", "StopIteration", "Empty", "IndexError", "FileNotFoundError", "TimeoutError"}
)
_VARIABLE = re.compile(r"0x[0-9a-fA-F]+|(?<=pid=)\d+|\b\d{5,}\b|(?<=/tmp/)[\w.-]+")
# What is kept of logs, however long: failures, and bytes of them, names of processes and tests included.
_MOST, _MOST_BYTES = 5_000, 24_000_000
# What an object takes besides its text, and a frame with its three texts.
_OBJECT, _FRAME = 150, 300
# Failures of one test that a line of the summary is given to.
_MOST_OF_TEST = 50


@dataclass(frozen=True, slots=True)
class Reading:
    """Failures in their order, causes and what follows, and tests that failed for no known reason.
    ``left_out`` counts what there was no room for, ``error_lines`` the lines that loggers marked as errors;
    ``first_error`` is the first of those."""

    failures: tuple[Failure, ...]
    unexplained: tuple[FailedTest, ...]
    left_out: int = 0
    error_lines: int = 0
    first_error: str = ""

    @property
    def has_failed(self) -> bool:
        """Whether the logs tell that anything failed."""
        return bool(self.failures or self.unexplained or self.left_out or self.error_lines)


@dataclass(slots=True)
class _Group:
    first: Trace
    error: Raised
    count: int = 0
    processes: dict[str, None] = field(default_factory=dict)
    tests: dict[str, None] = field(default_factory=dict)


_Key = tuple[str, str, tuple[str, int] | None]


def folded(events: Iterable[Trace | FailedTest]) -> Reading:
    """All that logs tell, folded."""
    groups = _Groups()
    summary: list[FailedTest] = []
    for event in events:
        if isinstance(event, FailedTest):
            if groups.has_room(event.test, event.error, event.source):
                summary.append(event)
        elif event.raised:
            groups.collect(replace(event, raised=tuple(map(unbroken, event.raised))))
    groups.merge_placeless()
    unexplained = list(_matched(groups, summary))
    failures = [_failure(group) for group in groups.by_key.values()]
    leading = followed(failures)
    told = (replace(f, follows=other) for f, other in zip(failures, leading, strict=True))
    return Reading(tuple(told), tuple(unexplained), groups.left_out)


def causes(reading: Reading) -> list[Failure]:
    """The failures that follow from no other."""
    return [failure for failure in reading.failures if failure.follows is None]


def cause(chain: tuple[Raised, ...]) -> Raised:
    """The exception of a chain that the others follow from."""
    best = chain[0]
    for error in chain[1:]:
        handled = error.link == "context" and best.name in _LOOKED_FOR and not is_wrapper(error)
        better = _weight(error) > _weight(best)
        if error.link == "inner" or (error.link == "context" and better) or handled or is_wrapper(best):
            best = error
    return best


def _weight(error: Raised) -> int:
    if is_wrapper(error):
        return 0
    return 1 if understood(error) is None else 2


class _Groups:
    """Equal exceptions by what tells them apart, in the order in which they first stand in the logs."""

    def __init__(self) -> None:
        self.by_key: dict[_Key, _Group] = {}
        self.left_out = 0
        self._room = _MOST_BYTES
        self._frames: dict[Frame, Frame] = {}

    def has_room(self, *texts: str) -> bool:
        """Take the room for texts, if it is there; else they are counted."""
        size = _OBJECT + sum(map(len, texts))
        if size > self._room:
            self.left_out += 1
            return False
        self._room -= size
        return True

    def _kept(self, trace: Trace) -> Trace | None:
        """A trace whose frames are shared with those before, since most have the same; None without room."""
        new = {frame for raised in trace.raised for frame in raised.frames if frame not in self._frames}
        texts = [frame.path + frame.function + frame.code + " " * _FRAME for frame in new]
        if not self.has_room(*(raised.message for raised in trace.raised), *texts):
            return None
        raised = (
            replace(raised, frames=tuple(self._frames.setdefault(frame, frame) for frame in raised.frames))
            for raised in trace.raised
        )
        return replace(trace, raised=tuple(raised))

    def collect(self, trace: Trace) -> _Group | None:
        """Fold one more trace in; None where there is no room for it."""
        error = cause(trace.raised)
        key = _key(error)
        group = self.by_key.get(key)
        if group is None:
            if len(self.by_key) >= _MOST:
                self.left_out += 1
                return None
            kept = self._kept(trace)
            if kept is None:
                return None
            group = self.by_key[key] = _Group(kept, cause(kept.raised))
        group.count += 1
        self.add_name(group.processes, trace.process)
        self.add_name(group.tests, trace.test)
        if len(error.frames) > len(group.error.frames) and (kept := self._kept(trace)) is not None:
            group.error = cause(kept.raised)
            group.first = replace(kept, source=group.first.source, line=group.first.line)
        return group

    def add_name(self, names: dict[str, None], name: str) -> None:
        """Remember the name of a process or test, if there is one and room for it."""
        if name and name not in names and self.has_room(name):
            names[name] = None

    def merge_placeless(self) -> None:
        """An error printed without frames is the same as one with them."""
        placed: dict[tuple[str, str], _Key] = {}
        for key in self.by_key:
            if key[2] is not None:
                placed.setdefault(key[:2], key)
        for key in [key for key in self.by_key if key[2] is None and key[:2] in placed]:
            lone, group = self.by_key.pop(key), self.by_key[placed[key[:2]]]
            group.count += lone.count
            group.processes.update(lone.processes)
            group.tests.update(lone.tests)


def _key(error: Raised) -> _Key:
    place = None
    if error.frames:
        last = error.frames[-1]
        place = (last.path.replace("\\", "/").rpartition("/")[2], last.line)
    return error.name, _VARIABLE.sub("#", error.message), place


def _matched(groups: _Groups, summary: Iterable[FailedTest]) -> Iterator[FailedTest]:
    """Give the tests of the summary to their failures; those that have none are yielded."""
    by_entry: dict[str, list[_Group]] = {}
    seen: set[str] = set()
    given: set[str] = set()
    for group in groups.by_key.values():
        for test in group.tests:
            by_entry.setdefault(test, []).append(group)
    shown = ShownErrors((group, group.error) for group in groups.by_key.values())
    for failed in summary:
        entry = entry_name(failed.test)
        known = by_entry.get(entry) or by_entry.get(failed.test)
        if known:
            for group in known[:_MOST_OF_TEST] if failed.test not in given else ():
                group.tests.pop(entry, None)
                group.tests[failed.test] = None
            given.add(failed.test)
        elif not failed.error:
            if failed.test not in seen:
                yield failed
            seen.add(failed.test)
        elif (same := shown.find(error := shown_error(failed.error))) is not None:
            same.tests[failed.test] = None
        elif (new := groups.collect(_of_summary(failed, error))) is not None:
            shown.add(new, new.error)


def _of_summary(failed: FailedTest, error: Raised) -> Trace:
    return Trace((error,), failed.source, failed.line, "", failed.test)


def _failure(group: _Group) -> Failure:
    return Failure(
        group.error, understood(group.error), group.count, group.first.source, group.first.line,
        tuple(group.processes), tuple(group.tests), group.first.raised,
    )  # fmt: skip
