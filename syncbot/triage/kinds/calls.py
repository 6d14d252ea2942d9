"""Calls that do not fit the parameters of what they call."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind, matched
from syncbot.triage.model import Nature, Raised, Symptom

_MISSING = re.compile(
    r"(?P<callable>[\w.<>]+)\(\) missing \d+ required (?:positional|keyword-only) arguments?: (?P<names>.+)"
)
_MISSING_BUILTIN = re.compile(
    r"(?P<callable>[\w.]+)\(\) missing required argument '(?P<names>\w+)' \(pos \d+\)"
)
_MISSING_STRUCT = re.compile(r"Missing required argument '(?P<names>\w+)'")
_MISSING_MODEL = re.compile(
    r"(?s)\d+ validation errors? for (?P<callable>[\w.]+)\n"
    r".*?(?P<names>\w+)\n\s*Field required \[type=missing"
)
_MANY = re.compile(
    r"(?P<callable>[\w.<>]+)\(\) takes (?:from \d+ to )?\d+ positional arguments? but \d+ "
    r"(?:positional arguments? \(and \d+ keyword-only arguments?\) )?(?:was|were) given"
)
_MANY_NONE = re.compile(
    r"(?P<callable>[\w.<>]+)\(\) takes (?:no (?:keyword )?arguments|exactly one argument)(?: \(\d+ given\))?"
)
_MANY_BUILTIN = re.compile(
    r"(?P<callable>[\w.]+?)(?:\(\))? (?:expected|takes) (?:at most|exactly|at least) \d+ "
    r"(?:positional |keyword )?arguments?,? (?:got \d+|\(\d+ given\))"
)
_TWICE = re.compile(
    r"(?P<callable>[\w.<>]+)\(\) got multiple values for (?:keyword )?argument '(?P<name>\w+)'"
)
# 3.9: `__init__() got …`; from 3.10 with the class; from 3.13 a guess may follow; builtins and C code differ.
_KEYWORD = re.compile(
    r"(?P<callable>[\w.<>]+)\(\) got an unexpected keyword argument '(?P<names>\w+)'"
    r"(?:\. Did you mean '\w+'\?)?"
)
_KEYWORD_BUILTIN = re.compile(
    r"'(?P<names>\w+)' is an invalid keyword argument for (?P<callable>[\w.]+)(?:\(\))?"
)
_KEYWORD_STRUCT = re.compile(r"Unexpected keyword argument '(?P<names>\w+)'")
_KEYWORD_MODEL = re.compile(
    r"(?s)\d+ validation errors? for (?P<callable>[\w.]+)\n"
    r".*?(?P<names>\w+)\n\s*Unexpected keyword argument \[type="
)
_POSITIONAL_ONLY = re.compile(
    r"(?P<callable>[\w.<>]+)\(\) got some positional-only arguments passed as keyword arguments: "
    r"'(?P<names>[\w, ]+)'"
)


@kind
def missing_argument(error: Raised) -> Symptom | None:
    """The callable as printed, and the parameters that got no argument."""
    if error.name == "ValidationError":
        found = _MISSING_MODEL.match(error.message)
    else:
        found = matched(error, ("TypeError",), _MISSING, _MISSING_BUILTIN, _MISSING_STRUCT)
    if found is None:
        return None
    names = tuple(re.findall(r"'(\w+)'", found["names"])) or (found["names"],)
    return Symptom("missing-argument", Nature.INTERFACE, found.groupdict().get("callable") or "", names)


@kind
def too_many_arguments(error: Raised) -> Symptom | None:
    """The callable as printed, and the parameter where it is named: one that got two arguments."""
    found = matched(error, ("TypeError",), _TWICE, _MANY, _MANY_NONE, _MANY_BUILTIN)
    if found is None:
        return None
    name = found.groupdict().get("name")
    return Symptom("too-many-arguments", Nature.INTERFACE, found["callable"], (name,) if name else ())


@kind
def unexpected_keyword(error: Raised) -> Symptom | None:
    """The callable as printed, and the keywords."""
    if error.name == "ValidationError":
        found = _KEYWORD_MODEL.match(error.message)
    else:
        found = matched(error, ("TypeError",), _KEYWORD, _KEYWORD_BUILTIN, _KEYWORD_STRUCT, _POSITIONAL_ONLY)
    if found is None:
        return None
    parts = found.groupdict()
    names = tuple(parts["names"].split(", "))
    return Symptom("unexpected-keyword", Nature.INTERFACE, parts.get("callable") or "", names)
