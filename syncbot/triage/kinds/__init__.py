"""What error texts mean: one module a kind of error, found by its presence here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

from syncbot.package_modules import import_all
from syncbot.triage.model import Raised, Symptom

Kind = Callable[[Raised], Symptom | None]

_KINDS: dict[str, Kind] = {}


def kind(function: Kind) -> Kind:
    """Register a function that understands one kind of error text, and gives None for all others.

    Kinds exclude one another: at most one understands a text. The Python versions that a text is known
    from are told beside its pattern.
    """
    _KINDS[function.__module__.rpartition(".")[2]] = function
    return function


@cache
def kinds() -> Mapping[str, Kind]:
    """All kinds by the name of their module, in alphabetical order."""
    import_all(__name__)
    return MappingProxyType(dict(sorted(_KINDS.items())))


def understood(error: Raised) -> Symptom | None:
    """What an exception is a sign of; None where no kind understands its text."""
    return next((found for read in kinds().values() if (found := read(error)) is not None), None)
