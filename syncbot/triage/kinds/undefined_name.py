"""A name is used that nothing binds."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_NAME = re.compile(
    r"(?:free variable|cannot access (?:local|free) variable|local variable|name)"
    r" '(?P<name>\w+)' "
    r"(?:is not (?:defined|associated with a value)|referenced before assignment|where it is not associated)"
    r".*"
)


@kind
def undefined_name(error: Raised) -> Symptom | None:
    """The name."""
    if error.name not in ("NameError", "UnboundLocalError"):
        return None
    found = _NAME.fullmatch(error.message.partition("\n")[0])
    return Symptom("undefined-name", Nature.BEHAVIOUR, "", (found["name"],)) if found is not None else None
