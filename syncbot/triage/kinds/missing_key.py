"""A mapping, such as a model's configuration, lacks a key."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

_KEY = re.compile(r"""'(?P<name>[^'\n]{1,200})'|"(?P<other>[^"\n]{1,200})"|(?P<plain>[\w.]{1,200})""")


@kind
def missing_key(error: Raised) -> Symptom | None:
    """The key, as printed: a string and another type look alike."""
    if error.name not in ("KeyError", "ConfigKeyError", "ConfigAttributeError"):
        return None
    found = _KEY.fullmatch(error.message.partition("\n")[0])
    name = (found["name"] or found["other"] or found["plain"]) if found is not None else ""
    return Symptom("missing-key", Nature.BEHAVIOUR, "", (name,) if name else ())
