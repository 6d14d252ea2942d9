"""Meanings of error texts: modules with a function for each kind of error, found by their presence here."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from types import MappingProxyType

from syncbot.package_modules import import_all
from syncbot.triage.model import Raised, Symptom

Kind = Callable[[Raised], Symptom | None]

_KINDS: dict[str, Kind] = {}
# So many lines are tried as one that a terminal or a reader of pictures has broken.
_BROKEN = 4


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
    """Return the symptom that an exception is a sign of; None where no kind understands its text."""
    return next((found for read in kinds().values() if (found := read(error)) is not None), None)


def unbroken(error: Raised) -> Raised:
    """The same exception; where its message is understood only with its first lines put together again, as
    before a terminal or a reader of pictures broke them, with that message."""
    if "\n" not in error.message or not error.type or understood(error) is not None:
        return error
    whole = (replace(error, message=message) for message in _joined(error.message))
    return next((each for each in whole if understood(each) is not None), error)


def _joined(message: str) -> Iterator[str]:
    """A message with its first two, three or four lines as one, broken between words or inside one."""
    lines = message.split("\n")
    for count in range(2, min(len(lines), _BROKEN) + 1):
        for between in product(("", " "), repeat=count - 1):
            parts = [part for pair in zip(lines[1:count], between, strict=True) for part in reversed(pair)]
            yield "\n".join(["".join([lines[0], *parts]), *lines[count:]])
