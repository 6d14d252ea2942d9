"""A module lacks a name that is imported from it."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_PYTHON = re.compile(
    r"cannot import name '(?P<name>\w+)' from (?:partially initialized module )?'(?P<module>[\w.]+)'"
    r"(?P<circular> \(most likely due to a circular import\))?"
    r"(?: \((?P<path>[^()]*(?:\([^()]*\)[^()]*)?)\))?.*"
)


@kind
def cannot_import(error: Raised) -> Symptom | None:
    """The module, and the name it lacks."""
    found = _PYTHON.fullmatch(error.message.partition("\n")[0])
    if found is None or error.name not in ("ImportError", "ModuleNotFoundError", "RuntimeError"):
        return None
    details = {"circular": "yes"} if found["circular"] else {}
    return Symptom("cannot-import", Nature.INTERFACE, found["module"], (found["name"],), details=details)
