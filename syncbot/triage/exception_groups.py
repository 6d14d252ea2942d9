"""Exception groups as Python prints them (from 3.11): every exception has a margin, and a column for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from syncbot.triage.exception_chain import Chain
from syncbot.triage.model import Line, Raised, Trace
from syncbot.triage.traceback_lines import HEADER, Tracebacks

_BEGIN = re.compile(r"( *)\+ Exception Group Traceback \(most recent call last\):")
_MARGIN = re.compile(r"( *)([|+])(?:-\+)?(-{4,}(?: [\d.]+ -{4,})?)? ?(.*)")
_GROUP = re.compile(r"\(\d+ sub-exceptions?\)")


class ExceptionGroups:
    """Takes the lines of exception groups. Each member becomes a trace that begins with its groups."""

    def __init__(self, source: str, process: str) -> None:
        self._source, self._process = source, process
        self._members: dict[int, Tracebacks] = {}
        self._groups: dict[int, tuple[Raised, ...]] = {}
        self._alone: list[Trace] = []

    @property
    def is_open(self) -> bool:
        """Whether a group was begun."""
        return bool(self._members or self._groups)

    def takes(self, line: Line) -> bool:
        """Whether a line is the beginning or a part of a group."""
        return bool(_BEGIN.fullmatch(line.text) or (self.is_open and _MARGIN.fullmatch(line.text)))

    def feed(self, line: Line, test: str) -> Iterator[Trace]:
        """Take the next line, which belongs to a group; traces that ended with it are given."""
        begin, margin = _BEGIN.fullmatch(line.text), _MARGIN.fullmatch(line.text)
        if begin is not None:
            column, text = len(begin[1]), HEADER
            yield from self._close(column)
            self._groups = {c: g for c, g in self._groups.items() if c < column}
        else:
            assert margin is not None
            column, text = len(margin[1]), margin[4]
            if margin[3] is not None:
                # A ruler between members: what stands before it is complete.
                yield from self._close(column)
                return
            yield from self._close(column + 1)
        if column not in self._members:
            self._members[column] = Tracebacks(Chain(self._source, self._process))
            self._members[column].test = test
        for trace in self._members[column].feed(Line(line.number, line.process, line.logged, text)):
            yield from self._told(column, trace)

    def finish(self) -> Iterator[Trace]:
        """Yield the remaining traces; those of groups that are still open, as far as they were read."""
        yield from self._close(0)
        yield from self._alone
        self._groups, self._alone = {}, []

    def _close(self, column: int) -> Iterator[Trace]:
        for inner in sorted(c for c in self._members if c >= column):
            for trace in self._members.pop(inner).finish():
                yield from self._told(inner, trace)

    def _told(self, column: int, trace: Trace) -> Iterator[Trace]:
        around = [group for c, group in sorted(self._groups.items()) if c < column]
        if _GROUP.search(trace.raised[-1].message):
            self._groups[column] = trace.raised
            self._alone = [replace(trace, raised=(*(around[-1] if around else ()), *trace.raised))]
            return
        self._alone = []
        first, *others = trace.raised
        outer = tuple(raised for group in around for raised in group)
        inner = replace(first, link="inner") if outer else first
        yield replace(trace, raised=(*outer, inner, *others))
