"""A result has another number of parts than it is unpacked into."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

# From 3.14 the number that was got is told in the first form too.
_PYTHON = re.compile(
    r"too many values to unpack \(expected (?P<few>\d+)(?:, got \d+)?\)"
    r"|not enough values to unpack \(expected (?:at least )?(?P<many>\d+), got (?P<got>\d+)\)"
    r"|cannot unpack non-iterable (?P<type>[\w.]+) object"
)
_TENSOR = re.compile(r"Can't unpack a tensor of (?P<got>\d+) rows into a tuple of (?P<few>\d+) elements?\.?")


@kind
def unpacking(error: Raised) -> Symptom | None:
    """The numbers only: the source line shows which call's result it was."""
    text = error.message.partition("\n")[0]
    found = _PYTHON.fullmatch(text) if error.name in ("ValueError", "TypeError") else None
    found = found or _TENSOR.fullmatch(text)
    if found is None:
        return None
    details = {key: value for key, value in found.groupdict().items() if value}
    return Symptom("unpacking", Nature.INTERFACE, details=details)
