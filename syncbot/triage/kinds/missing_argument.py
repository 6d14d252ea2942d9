"""A call leaves out arguments that what it calls needs."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_PYTHON = re.compile(
    r"(?P<callable>[\w.<>]+)\(\) missing \d+ required (?:positional|keyword-only) arguments?: (?P<names>.+)"
)
_BUILTIN = re.compile(r"(?P<callable>[\w.]+)\(\) missing required argument '(?P<names>\w+)' \(pos \d+\)")
_STRUCT = re.compile(r"Missing required argument '(?P<names>\w+)'")
_MODEL = re.compile(
    r"(?s)\d+ validation errors? for (?P<callable>[\w.]+)\n"
    r".*?(?P<names>\w+)\n\s*Field required \[type=missing"
)


@kind
def missing_argument(error: Raised) -> Symptom | None:
    """The callable as printed, and the parameters that got no argument."""
    if error.name == "ValidationError":
        found = _MODEL.match(error.message)
    elif error.name == "TypeError":
        text = error.message.partition("\n")[0]
        found = _PYTHON.fullmatch(text) or _BUILTIN.fullmatch(text) or _STRUCT.fullmatch(text)
    else:
        return None
    if found is None:
        return None
    names = tuple(re.findall(r"'(\w+)'", found["names"])) or (found["names"],)
    return Symptom("missing-argument", Nature.INTERFACE, found.groupdict().get("callable") or "", names)
