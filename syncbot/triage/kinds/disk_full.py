"""The disk, or what a user may use of it, is full."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_WORDS = re.compile(r"No space left on device|Disk quota exceeded|\bENOSPC\b", re.IGNORECASE)


@kind
def disk_full(error: Raised) -> Symptom | None:
    """Nothing but that it is so."""
    if not _WORDS.search(error.message):
        return None
    return Symptom("disk-full", Nature.ENVIRONMENT, note="the disk is full (or shared memory): make room")
