"""An object, class or module lacks an attribute, or does not let it be set."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

# Up to 3.11 without, since 3.10 often with a guess behind; a module of the user's may be hidden by another.
_HAS_NO = re.compile(
    r"(?:(?P<what>type object|module|partially initialized module|dataclass) )?'(?P<owner>[^']*)'"
    r"(?: object)? has no attribute '(?P<name>\w+)'(?P<rest>.*)"
)
_SETTER = re.compile(
    r"property '(?P<name>\w+)' of '(?P<owner>[\w.]+)' object has no (?:setter|deleter|getter)"
    r"|can't (?:set|delete) attribute '(?P<old>\w+)'"
)
_GUESS = re.compile(r"Did you mean: '([\w.]+)'\?")


@kind
def no_attribute(error: Raised) -> Symptom | None:
    """The class or module, and the attribute; ``what`` tells which of them it is."""
    if error.name != "AttributeError":
        return None
    text = error.message.partition("\n")[0]
    if (found := _HAS_NO.fullmatch(text)) is not None:
        what = (found["what"] or "object").removeprefix("partially initialized ")
        details = {"what": what}
        if (guess := _GUESS.search(found["rest"])) is not None:
            details["guess"] = guess[1]
        nature = Nature.BEHAVIOUR if found["owner"] == "NoneType" else Nature.INTERFACE
        return Symptom("no-attribute", nature, found["owner"], (found["name"],), details=details)
    if (found := _SETTER.fullmatch(text)) is not None:
        name = found["name"] or found["old"]
        return Symptom(
            "no-attribute", Nature.INTERFACE, found["owner"] or "", (name,), details={"what": "object"}
        )
    if text.isidentifier():
        # Members of enumerations up to 3.11: only the name is told.
        return Symptom("no-attribute", Nature.INTERFACE, "", (text,), details={"what": "type object"})
    return None
