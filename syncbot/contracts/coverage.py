"""How much of a backend could be judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from syncbot.contracts.kinds.loose_names import LooseNameContract
from syncbot.contracts.kinds.unknown_objects import UnknownObjectContract, UnseenNameContract
from syncbot.contracts.model import Contract
from syncbot.contracts.sources import Backend

# If fewer of the files than one in so many rely on upstream, something else than the backend was read.
_THIN = 20


@dataclass(frozen=True, slots=True)
class Coverage:
    """The backend's files with code in them, tests apart; how many of them have ``contracts``; objects
    without a known class; imports of which it is ``unknown`` whether
    upstream has them."""

    files: int
    relying: int
    contracts: int
    objects: int
    unknown: int

    @property
    def is_thin(self) -> bool:
        """Whether so few files rely on upstream that the sources are hardly those of a backend."""
        return self.files > 0 and self.relying * _THIN < self.files


def covered(backend: Backend, contracts: Sequence[Contract], unjudged: Iterable[Contract]) -> Coverage:
    """How much of a backend was judged. A telling name of an object that nobody knows is no reliance."""
    sources = {file.path for file in backend.files if not file.is_test and file.text.strip()}
    reliances = [c for c in contracts if not (isinstance(c, LooseNameContract) or c.told_beside)]
    relying = {contract.place.location.file for contract in reliances} & sources
    kinds = Counter(type(contract) for contract in unjudged)
    objects, unknown = kinds[UnknownObjectContract], kinds[UnseenNameContract]
    return Coverage(len(sources), len(relying), len(reliances), objects, unknown)
