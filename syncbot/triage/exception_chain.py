"""Chained exceptions: those that belong together become one trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from syncbot.triage.model import Raised, Trace

_LONGEST = 24


@dataclass
class Chain:
    """Collects the exceptions of a trace; ``link`` is how the next one is tied to those before."""

    source: str
    process: str
    link: str = ""
    test: str = ""
    line: int = 0
    _raised: list[Raised] = field(default_factory=list)

    def add(self, error: Raised, line: int, test: str) -> None:
        """Append an exception that :meth:`begin` has made room for, from a line and a test."""
        if not self._raised:
            self.line, self.test = line, test
        if len(self._raised) < _LONGEST:
            self._raised.append(replace(error, link=self.link) if self._raised and self.link else error)
        self.link = ""

    def begin(self) -> Iterator[Trace]:
        """Before a new exception: those before it are complete, unless it is tied to them."""
        if not self.link:
            yield from self.finish()

    def finish(self) -> Iterator[Trace]:
        """The trace collected so far, if there is any."""
        if self._raised:
            yield Trace(tuple(self._raised), self.source, self.line, self.process, self.test)
        self._raised, self.link, self.test = [], "", ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was collected."""
        return not self._raised
