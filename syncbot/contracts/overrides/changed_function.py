"""An upstream function before and after a change, and the one of the backend that stands in for it."""

from __future__ import annotations

from dataclasses import dataclass

from syncbot.api.signatures import Signature
from syncbot.api.symbols import Symbol


@dataclass(frozen=True, slots=True)
class ChangedFunction:
    """The signatures of the upstream function before and after, and of ours. ``stands_in`` is the class whose
    objects have ours; ``called`` the name that upstream calls, ``target`` the dotted one, empty for a method.
    ``derived``: a subclass overrides it; ``own_made``: only the backend makes the objects."""

    symbol: str
    stands_in: Symbol | None
    ours: Signature
    old: Signature
    new: Signature
    called: str
    target: str
    derived: bool
    own_made: bool
