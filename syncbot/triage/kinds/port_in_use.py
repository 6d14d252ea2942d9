"""Another process listens on the port."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_WORDS = re.compile(r"\bEADDRINUSE\b|address already in use|port \d+ is (?:already )?in use", re.IGNORECASE)


@kind
def port_in_use(error: Raised) -> Symptom | None:
    """The port, where the text has one."""
    if not _WORDS.search(error.message):
        return None
    port = re.search(r"(?:port[: ]+|:)(\d{2,5})\b", error.message)
    note = "another process has the port: end it, or choose another port"
    return Symptom("port-in-use", Nature.ENVIRONMENT, port[1] if port else "", note=note)
