"""Memory, of the machine or of a device, is used up."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_WORDS = re.compile(
    r"\bout of memory\b|can't allocate memory|cannot allocate memory(?! in static TLS)"
    r"|Unable to allocate .{1,40} for an array"
    r"|No available memory for|larger than the available KV cache memory|Free memory on device"
    r"|Error in memory profiling",
    re.IGNORECASE,
)


@kind
def out_of_memory(error: Raised) -> Symptom | None:
    """No names: the text says whose memory it is."""
    if error.name not in ("MemoryError", "OutOfMemoryError") and not _WORDS.search(error.message):
        return None
    note = "memory is used up, or was not free when the run began: look for other processes on the device"
    return Symptom("out-of-memory", Nature.ENVIRONMENT, note=note)
