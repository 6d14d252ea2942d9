"""The notices about a name, found by registration: one module in :mod:`syncbot.upgrade.notices` each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

from syncbot.api.symbols import Node, Symbol
from syncbot.contracts.comparison import Comparison
from syncbot.package_modules import import_all
from syncbot.upgrade.model import Notice
from syncbot.upgrade.used_names import UsedName

#: What a definition says of the one thing that a notice is about.
Probe = Callable[[Sequence[Node]], Hashable]

_NOTICES = "syncbot.upgrade.notices"
_noticers: list[Noticer] = []


@dataclass(frozen=True, slots=True)
class Draft:
    """A notice without its commits: those that changed what ``probe`` says of the definitions at ``home``.
    With ``every``, each such commit made a part of it; else the last one made it."""

    notice: Notice
    home: Symbol
    probe: Probe
    every: bool = False


Noticer = Callable[[UsedName, Comparison], Iterator[Draft]]


def noticer(function: Noticer) -> Noticer:
    """Register a function ``(used, pair) -> drafts``."""
    _noticers.append(function)
    return function


def drafts(used: UsedName, pair: Comparison) -> Iterator[Draft]:
    """All that is noticed of one name."""
    import_all(_NOTICES)
    for function in _noticers:
        yield from function(used, pair)
