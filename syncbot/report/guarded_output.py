"""Standard output and error as the one door to a terminal or a log: nothing that a stranger wrote leaves it
as a control character or as a command; what styles our own words does not come this way."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from syncbot.report.untrusted_text import inert, visible


class GuardedStream:
    """A text stream whose text is made inert. It has no ``buffer``, which would be a way around it."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")

    def write(self, text: str | bytes) -> int:
        """Write text that anybody may have written. Click writes the script of a shell as bytes."""
        self.stream.write(inert(text.decode("utf-8", "replace") if isinstance(text, bytes) else text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name in ("buffer", "detach"):
            raise AttributeError(name)
        return getattr(self.stream, name)


@contextmanager
def guarded() -> Iterator[None]:
    """Guard standard output and error in the block."""
    before = sys.stdout, sys.stderr
    ours = tuple(cast(TextIO, GuardedStream(stream)) for stream in before)
    sys.stdout, sys.stderr = ours
    try:
        yield
    finally:
        # Who replaced a stream meanwhile had a reason.
        if sys.stdout is ours[0]:
            sys.stdout = before[0]
        if sys.stderr is ours[1]:
            sys.stderr = before[1]


def write_commands(text: str) -> None:
    """Write commands for a runner of workflows, whose values are escaped, to standard output."""
    unguarded(sys.stdout).write(visible(text))


def unguarded(stream: TextIO) -> TextIO:
    """The stream behind a guarded one, for what is inert already."""
    return stream.stream if isinstance(stream, GuardedStream) else stream
