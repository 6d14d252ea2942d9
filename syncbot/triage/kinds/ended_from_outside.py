"""A process was ended by the system, a user or a time limit."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_WORDS = re.compile(
    r"SIGKILL|SIGTERM|\bexit ?code:? -(?:9|15)\b|died with <Signals\.SIG\w+|Timeout >\d|segmentation fault",
    re.IGNORECASE,
)
_TYPES = frozenset({"KeyboardInterrupt", "TimeoutExpired", "CancelledError"})


@kind
def ended_from_outside(error: Raised) -> Symptom | None:
    """Nothing but that it is so."""
    if error.name not in _TYPES and not (
        _WORDS.search(error.message) and "out of memory" not in error.message.lower()
    ):
        return None
    note = "the process was ended from outside: by the system, a user or a time limit"
    return Symptom("ended-from-outside", Nature.ENVIRONMENT, note=note)
