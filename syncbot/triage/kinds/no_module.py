"""A module does not exist."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_PYTHON = re.compile(r"No module named '?(?P<module>[\w.-]+)'?(?:; '[\w.]+' is not a package)?")
_WITHIN = re.compile(
    r"module '(?P<module>[\w.]+)' not found|import of (?P<halted>[\w.]+) halted; None in sys\.modules"
)


@kind
def no_module(error: Raised) -> Symptom | None:
    """The module's dotted name."""
    if error.name not in ("ModuleNotFoundError", "ImportError"):
        return None
    text = error.message.partition("\n")[0]
    found = _PYTHON.fullmatch(text) or _WITHIN.fullmatch(text)
    if found is None:
        return None
    module = found["module"] or found["halted"]
    return Symptom("no-module", Nature.INTERFACE, module, (module.rpartition(".")[2],))
