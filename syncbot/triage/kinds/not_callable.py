"""Something is called that cannot be: a method became a property, a function a module."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

# Since 3.12 a guess follows where a module has a member of its own name.
_CALL = re.compile(r"'(?P<owner>[\w.]+)' object is not callable(?:\. Did you mean: '.+'\?)?")
_OTHER = re.compile(
    r"'(?P<owner>[\w.]+)' object (?:is not (?:subscriptable|iterable|an iterator|async iterable)"
    r"|does not support (?:item assignment|the (?:asynchronous )?context manager protocol))"
    r"|object (?P<awaited>[\w.]+) can't be used in 'await' expression"
)


@kind
def not_callable(error: Raised) -> Symptom | None:
    """The class of the object that is used as it cannot be; ``code`` tells the rest."""
    if error.name != "TypeError":
        return None
    text = error.message.partition("\n")[0]
    if (found := _CALL.fullmatch(text)) is not None:
        return Symptom("not-callable", Nature.INTERFACE, found["owner"])
    if (found := _OTHER.fullmatch(text)) is not None:
        return Symptom("wrong-use", Nature.INTERFACE, found["owner"] or found["awaited"])
    return None
