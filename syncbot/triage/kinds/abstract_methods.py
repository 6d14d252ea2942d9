"""Methods that a subclass has to define, and does not."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind, matched
from syncbot.triage.model import Nature, Raised, Symptom

# Up to 3.11 `with abstract methods a, b`; from 3.12 `without an implementation for abstract methods 'a'`.
_ABSTRACT = re.compile(
    r"Can't instantiate abstract class (?P<owner>[\w.]+) "
    r"(?:with|without an implementation for) abstract methods? (?P<names>[\w', ]+)"
)


@kind
def abstract_class(error: Raised) -> Symptom | None:
    """The class that was to be instantiated, and the methods that it lacks."""
    found = matched(error, ("TypeError",), _ABSTRACT)
    if found is None:
        return None
    names = tuple(name.strip(" '") for name in found["names"].split(","))
    return Symptom("abstract-class", Nature.INTERFACE, found["owner"], names)


@kind
def not_implemented(error: Raised) -> Symptom | None:
    """The method of a base that raised it, from the innermost frame; operators have a kind of their own."""
    if error.name != "NotImplementedError" or "::" in error.message:
        return None
    method = error.frames[-1].function.rpartition(".")[2] if error.frames else ""
    return Symptom("not-implemented", Nature.INTERFACE, "", (method,) if method.isidentifier() else ())
