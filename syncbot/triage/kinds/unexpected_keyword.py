"""A call passes a keyword that what it calls does not take."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.model import Nature, Raised, Symptom

# 3.9: `__init__() got …`; from 3.10 with the class; from 3.13 a guess may follow; builtins and C code differ.
_PYTHON = re.compile(
    r"(?P<callable>[\w.<>]+)\(\) got an unexpected keyword argument '(?P<name>\w+)'"
    r"(?:\. Did you mean '(?P<guess>\w+)'\?)?"
)
_BUILTIN = re.compile(r"'(?P<name>\w+)' is an invalid keyword argument for (?P<callable>[\w.]+)(?:\(\))?")
_POSITIONAL_ONLY = re.compile(
    r"(?P<callable>[\w.<>]+)\(\) got some positional-only arguments passed as keyword arguments: "
    r"'(?P<names>[\w, ]+)'"
)
_STRUCT = re.compile(r"Unexpected keyword argument '(?P<name>\w+)'")
_MODEL = re.compile(
    r"(?s)\d+ validation errors? for (?P<callable>[\w.]+)\n"
    r".*?(?P<name>\w+)\n\s*Unexpected keyword argument \[type="
)


@kind
def unexpected_keyword(error: Raised) -> Symptom | None:
    """The callable as printed, and the keyword; the guess of the interpreter as a detail."""
    if error.name == "ValidationError":
        found = _MODEL.match(error.message)
    elif error.name != "TypeError":
        return None
    else:
        text = error.message.partition("\n")[0]
        found = _PYTHON.fullmatch(text) or _BUILTIN.fullmatch(text) or _STRUCT.fullmatch(text)
        if found is None and (several := _POSITIONAL_ONLY.fullmatch(text)) is not None:
            names = tuple(several["names"].split(", "))
            return Symptom("unexpected-keyword", Nature.INTERFACE, several["callable"], names)
    if found is None:
        return None
    parts = found.groupdict()
    details = {"guess": parts["guess"]} if parts.get("guess") else {}
    subject = parts.get("callable") or ""
    return Symptom("unexpected-keyword", Nature.INTERFACE, subject, (found["name"],), details=details)
