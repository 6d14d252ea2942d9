"""The lines of one process, as a state machine: tracebacks of Python, pytest's entries, single messages."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.triage import pytest_lines
from syncbot.triage.exception_chain import Chain
from syncbot.triage.exception_groups import ExceptionGroups
from syncbot.triage.model import FailedTest, Line, Trace
from syncbot.triage.pytest_lines import PytestEntries
from syncbot.triage.traceback_lines import Tracebacks


class Parser:
    """Takes the lines of one process of one log, gives what was raised in it."""

    def __init__(self, source: str, process: str) -> None:
        self._chain = Chain(source, process)
        self._tracebacks = Tracebacks(self._chain)
        self._pytest = PytestEntries(self._chain)
        self._group = ExceptionGroups(source, process)

    @property
    def is_open(self) -> bool:
        """Whether the next line belongs to something that was begun."""
        return self._tracebacks.is_open or self._pytest.is_open or self._group.is_open

    def takes_at_once(self, line: Line) -> bool:
        """Take the next line if nothing can end with it."""
        return not self._group.is_open and self._tracebacks.takes_at_once(line)

    def feed(self, line: Line) -> Iterator[Trace | FailedTest]:
        """Take the next line; what ended with it is given."""
        if self._group.takes(line):
            yield from self._group.feed(line, self._pytest.test)
            return
        if self._group.is_open:
            yield from self._group.finish()
        if (failed := pytest_lines.failed_test(line, self._chain.source)) is not None:
            yield from self.finish()
            yield failed
            return
        if self._pytest.takes(line, within=self._tracebacks.is_open):
            if self._tracebacks.is_open:
                yield from self._tracebacks.finish()
            yield from self._pytest.feed(line)
            return
        self._tracebacks.test = self._pytest.test
        yield from self._tracebacks.feed(line)

    def finish(self) -> Iterator[Trace]:
        """Yield the remaining traces, as far as they were read."""
        yield from self._group.finish()
        yield from self._tracebacks.finish()
        yield from self._pytest.finish()
