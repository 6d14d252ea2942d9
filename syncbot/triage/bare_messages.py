"""Messages that tell of a failure without an exception, by what is searched for in the bytes of a log."""

from __future__ import annotations

import re

#: What a line must hold to be looked at at all. Searches for fixed texts are the fast ones.
TELLING = (
    b"o space left on device", b"ut of memory", b"ddress already in use", b"egmentation fault",
    b"does not recognize this architecture", b"HCCL(", b" ERR0", b"dependency conflicts",
    b"conflict is caused by", b"ResolutionImpossible",
)  # fmt: skip
#: Codes of a device's libraries: two letters and four digits before a colon or behind a name.
TELLING_CODES = (re.compile(rb"E[EHIJKLZ]\d{4}(?::|\): )"),)

_TOLD = re.compile(
    r".*(?:no space left on device|\bout of memory\b|address already in use|segmentation fault"
    r"|does not recognize this architecture"
    # The device's own log has a line for each function that passed an error on.
    r"|^HCCL\(.{0,80}\].{0,300}(?:fail|time ?-?out|timed out|error)"
    r"|\bERR(?!99999)\d{5} \w|\bE[EHIJKLZ]\d{4}(?:: |\): )"
    r"|source of the following dependency conflicts|conflict is caused by|\bResolutionImpossible\b)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r".*(?:dependency conflicts\.?|conflict is caused by:?)$")
_MOST_LINES = 8


def is_told(text: str) -> bool:
    """Whether a line by itself tells of a failure."""
    return _TOLD.match(text) is not None


def lines_below(text: str) -> int:
    """How many lines below a message may belong to it."""
    return _MOST_LINES if _GOES_ON.match(text) else 0
