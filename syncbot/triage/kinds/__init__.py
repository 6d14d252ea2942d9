"""What error texts mean: modules with a function for each kind of error, found by their presence here."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from types import MappingProxyType

from syncbot.package_modules import import_all
from syncbot.triage.model import Raised, Symptom

Kind = Callable[[Raised], Symptom | None]

_KINDS: dict[str, Kind] = {}


def kind(function: Kind) -> Kind:
    """Register a function that understands one kind of error text, as no other one does, or gives None."""
    _KINDS[function.__name__] = function
    return function


def matched(error: Raised, types: Collection[str], *patterns: re.Pattern[str]) -> re.Match[str] | None:
    """The first line of an error of these types, matched as a whole by the first pattern that fits."""
    if error.name not in types:
        return None
    line = error.message.partition("\n")[0]
    return next((found for pattern in patterns if (found := pattern.fullmatch(line))), None)


@cache
def kinds() -> Mapping[str, Kind]:
    """All kinds by the name of their function, in alphabetical order."""
    import_all(__name__)
    return MappingProxyType(dict(sorted(_KINDS.items())))


def understood(error: Raised) -> Symptom | None:
    """What an exception is a sign of; None where no kind understands its text."""
    return next((found for read in kinds().values() if (found := read(error)) is not None), None)
