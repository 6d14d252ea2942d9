"""A method that a subclass has to define was called on its base."""

from __future__ import annotations

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom


@kind
def not_implemented(error: Raised) -> Symptom | None:
    """The method that raised it, from the innermost frame; operators have a kind of their own."""
    if error.name != "NotImplementedError" or "::" in error.message:
        return None
    method = error.frames[-1].function.rpartition(".")[2] if error.frames else ""
    return Symptom("not-implemented", Nature.INTERFACE, "", (method,) if method.isidentifier() else ())
