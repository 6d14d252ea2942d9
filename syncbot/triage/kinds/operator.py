"""A registered operator does not exist, or takes other arguments."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind, matched
from syncbot.triage.model import Nature, Raised, Symptom

_NAMESPACE = re.compile(r"'_OpNamespace' '(?P<space>\w+)' object has no attribute '(?P<name>\w+)'.*")
_SCHEMA = re.compile(
    r"(?:operator|Could not find schema for|Could not find any similar ops to|No such operator) "
    r"(?P<space>\w+)::(?P<name>\w+).*"
)
_BACKEND = re.compile(
    r"Could not run '(?P<space>\w+)::(?P<name>[\w.]+)' with arguments from the '(?P<device>\w+)' backend.*"
)
_KEYWORD = re.compile(
    r"Unknown keyword argument '(?P<unknown>\w+)' for operator '(?P<space>\w+)::(?P<name>[\w.]+)'.*"
)
_ARGUMENTS = re.compile(
    r"(?P<space>\w+)::(?P<name>\w+)\(\) (?:is missing value for argument '(?P<missing>\w+)'"
    r"|expected (?:a value of type .+ for argument '(?P<typed>\w+)'"
    r"|at most \d+ argument\(s\) but received \d+)"
    r"|got (?:an )?un(?:expected|known) (?:keyword )?argument '(?P<unknown>\w+)').*",
    re.IGNORECASE,
)


@kind
def operator(error: Raised) -> Symptom | None:
    """The namespace, the operator, and for its arguments the one that is wrong."""
    types = ("AttributeError", "RuntimeError", "NotImplementedError", "TypeError")
    found = matched(error, types, _NAMESPACE, _SCHEMA, _BACKEND, _KEYWORD, _ARGUMENTS)
    if found is None:
        return None
    parts = found.groupdict()
    name = found["name"].partition(".")[0]
    argument = parts.get("missing") or parts.get("typed") or parts.get("unknown")
    names = (name, argument) if argument else (name,)
    return Symptom("operator", Nature.INTERFACE, f"{found['space']}.{name}", names)
