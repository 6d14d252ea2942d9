"""How much of a backend could be judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from syncbot.api.universe import Universe
from syncbot.contracts.model import Contract
from syncbot.contracts.sources import Backend

# If fewer of the files than one in so many rely on upstream, something else than the backend was read.
_THIN = 20


@dataclass(frozen=True, slots=True)
class Coverage:
    """The backend's files with code in them, tests apart; how many of them have ``contracts``; objects
    without a known class; contracts of which it is not ``known`` whether upstream keeps them."""

    files: int
    relying: int
    contracts: int
    objects: int
    unknown: int

    @property
    def is_thin(self) -> bool:
        """Whether so few files rely on upstream that the sources are hardly those of a backend."""
        return self.files > 0 and self.relying * _THIN < self.files


def covered(
    backend: Backend, contracts: Iterable[Contract], objects: int, universes: Iterable[Universe]
) -> Coverage:
    """How much of a backend was judged in some universes."""
    sources = {file.path for file in backend.files if not file.is_test and file.text.strip()}
    found = list(contracts)
    relying = {contract.place.location.file for contract in found} & sources
    vague = {name for universe in universes for name in unknown_symbols(found, universe)}
    return Coverage(len(sources), len(relying), len(found), objects, sum(c.symbol in vague for c in found))


def unknown_symbols(contracts: Iterable[Contract], universe: Universe) -> set[str]:
    """The dotted symbols of contracts that may exist in a universe, unseen."""
    names = {contract.symbol for contract in contracts if "." in contract.symbol}
    found = ((name, universe.resolve(name)) for name in names)
    return {name for name, symbol in found if symbol is not None and symbol.kind == "unknown"}
