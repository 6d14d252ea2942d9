"""A class cannot be instantiated since it leaves abstract methods open."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

# Up to 3.11 `with abstract methods a, b`; from 3.12 `without an implementation for abstract methods 'a'`.
_PYTHON = re.compile(
    r"Can't instantiate abstract class (?P<owner>[\w.]+) "
    r"(?:with|without an implementation for) abstract methods? (?P<names>[\w', ]+)"
)


@kind
def abstract_class(error: Raised) -> Symptom | None:
    """The class that was to be instantiated, and the methods that it lacks."""
    found = _PYTHON.fullmatch(error.message.partition("\n")[0])
    if found is None or error.name != "TypeError":
        return None
    names = tuple(name.strip(" '") for name in found["names"].split(","))
    return Symptom("abstract-class", Nature.INTERFACE, found["owner"], names)
