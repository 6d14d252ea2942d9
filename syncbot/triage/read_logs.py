"""From log files to failures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from syncbot.triage.error_lines import ErrorLines
from syncbot.triage.folded_failures import Reading, folded
from syncbot.triage.log_files import logs
from syncbot.triage.process_streams import parsed


def read(names: Sequence[str]) -> Reading:
    """The failures in logs; ``-`` is standard input. Raises UsageError for a missing or damaged log."""
    marked = ErrorLines()
    reading = folded(event for name, blocks in logs(names) for event in parsed(name, blocks, marked))
    if not marked.first:
        return reading
    return replace(reading, error_lines=marked.count, first_error=marked.first)
