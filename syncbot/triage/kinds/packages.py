"""Installed packages that do not go together: what an installer says, and what a library is too old for."""

from __future__ import annotations

import re

from syncbot.triage.kinds import kind
from syncbot.triage.kinds.environment import sign
from syncbot.triage.model import Raised, Symptom

_CONFLICT = re.compile(
    r"source of the following dependency conflicts|conflict is caused by|^ResolutionImpossible\b"
    r"|have conflicting dependencies",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"^(?P<who>\S+ \S+) (?:requires|depends on) (?P<name>[\w.-]+)(?P<version>\S*?)[,;]?"
    r"(?: but you have (?P<here>\S+ \S+)|[ ;].*)?(?: which .*)?$",
    re.MULTILINE,
)
_ARCHITECTURE = re.compile(r"does not recognize this architecture", re.IGNORECASE)
_MODEL = re.compile(r"model type `?(\w+)`?")


@kind
def package_conflict(error: Raised) -> Symptom | None:
    """Requirements that cannot be met together; the first pair of them that is told is the note."""
    told = ", ".join(_clash(error.message))
    note = f"installed or wanted packages do not go together{f': {told}' if told else ''}"
    act = "run syncbot doctor in the plugin's folder, which says what fits the plugin"
    return sign(error, "package-conflict", _CONFLICT, note, act)


@kind
def unknown_model(error: Raised) -> Symptom | None:
    """The type of a model that the installed library of models is too old for."""
    model = _MODEL.search(error.message)
    name = model[1] if model is not None else ""
    note = f"the installed transformers does not know the model type {name}".rstrip()
    act = "install a transformers that does, as far as the upstream's requirements allow it"
    return sign(error, "unknown-model", _ARCHITECTURE, note, act, subject=name)


def _clash(text: str) -> list[str]:
    """Two requirements of one package, else the first that what is installed does not meet."""
    # Exact versions clash for sure, so they come first.
    wanted = sorted(_WANTED.finditer(text), key=lambda found: not found["version"].startswith("=="))
    for number, one in enumerate(wanted):
        other = next((each for each in wanted[number + 1 :] if each["name"] == one["name"]), None)
        if other is not None and other["version"] != one["version"]:
            return [f"{each['who']} wants {each['name']}{each['version']}" for each in (one, other)]
    for one in wanted:
        if one["here"]:
            return [f"{one['who']} wants {one['name']}{one['version']}", f"{one['here']} is there"]
    return []
