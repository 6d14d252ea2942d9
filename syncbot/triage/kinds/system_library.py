"""A shared library, driver or device of the machine is missing or does not fit."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_WORDS = re.compile(
    r"cannot open shared object file|undefined symbol: |version `\S{1,60}' not found"
    r"|cannot allocate memory in static TLS"
    r"|Found no \w+ driver|no \w+-capable device is detected"
    r"|Invalid device (?:id|ordinal)|invalid device ordinal"
)


@kind
def system_library(error: Raised) -> Symptom | None:
    """No names: the text says which library it is."""
    if not _WORDS.search(error.message) or "out of memory" in error.message.lower():
        return None
    note = "a library, driver or device of the machine is missing or of another version"
    return Symptom("system-library", Nature.ENVIRONMENT, note=note)
