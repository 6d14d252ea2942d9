"""A call passes more arguments by place than what it calls takes, or one of them twice."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_PYTHON = re.compile(
    r"(?P<callable>[\w.<>]+)\(\) takes (?:from \d+ to )?\d+ positional arguments? but \d+ "
    r"(?:positional arguments? \(and \d+ keyword-only arguments?\) )?(?:was|were) given"
)
_NONE = re.compile(
    r"(?P<callable>[\w.<>]+)\(\) takes (?:no (?:keyword )?arguments|exactly one argument)(?: \(\d+ given\))?"
)
_BUILTIN = re.compile(
    r"(?P<callable>[\w.]+?)(?:\(\))? (?:expected|takes) (?:at most|exactly|at least) \d+ "
    r"(?:positional |keyword )?arguments?,? (?:got \d+|\(\d+ given\))"
)
_TWICE = re.compile(
    r"(?P<callable>[\w.<>]+)\(\) got multiple values for (?:keyword )?argument '(?P<name>\w+)'"
)


@kind
def too_many_arguments(error: Raised) -> Symptom | None:
    """The callable as printed, and the parameter where it is named."""
    if error.name != "TypeError":
        return None
    text = error.message.partition("\n")[0]
    if (twice := _TWICE.fullmatch(text)) is not None:
        return Symptom("too-many-arguments", Nature.INTERFACE, twice["callable"], (twice["name"],))
    found = _PYTHON.fullmatch(text) or _NONE.fullmatch(text) or _BUILTIN.fullmatch(text)
    return Symptom("too-many-arguments", Nature.INTERFACE, found["callable"]) if found is not None else None
