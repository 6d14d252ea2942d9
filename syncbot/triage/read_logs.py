"""From log files to failures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncbot.triage.folded_failures import Reading, folded
from syncbot.triage.log_files import logs
from syncbot.triage.model import FailedTest, Trace
from syncbot.triage.process_streams import parsed


def read(names: Sequence[str]) -> Reading:
    """The failures in the logs of these names; ``-`` is standard input.

    Raises UsageError for a log that is not there or is damaged.
    """
    return folded(_events(names))


def _events(names: Sequence[str]) -> Iterator[Trace | FailedTest]:
    for name, blocks in logs(list(names)):
        yield from parsed(name, blocks)
