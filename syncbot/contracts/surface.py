"""Contracts as rows and counts: the surface that a maintainer wants to see and to shrink."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from syncbot.contracts.model import Contract, Location


@dataclass(frozen=True, slots=True)
class Row:
    """One upstream symbol that the backend relies on in one way, with all the places that do."""

    kind: str
    symbol: str
    places: tuple[Location, ...]


@dataclass(frozen=True, slots=True)
class Surface:
    """The reliances of a backend: its rows, how many contracts there are by kind and by upstream module, and
    the files whose contracts are not all known, with the reasons; ``objects`` have no known class,
    ``unknown`` are imports of what cannot be seen upstream."""

    rows: tuple[Row, ...]
    by_kind: tuple[tuple[str, int], ...]
    by_module: tuple[tuple[str, int], ...]
    unanalysed: tuple[tuple[str, str], ...] = ()
    objects: tuple[Row, ...] = ()
    unknown: tuple[Row, ...] = ()

    @property
    def total(self) -> int:
        """The number of contracts."""
        return sum(count for _, count in self.by_kind)


def surface(contracts: Iterable[tuple[Contract, str]], symbol: str | None = None) -> Surface:
    """The contracts, at or below ``symbol`` if given, each with the upstream module of its symbol."""
    counted = [(c, m) for c, m in contracts if not c.told_beside]
    chosen = [(c, m) for c, m in counted if symbol is None or f"{c.symbol}.".startswith(f"{symbol}.")]
    kinds = Counter(c.kind for c, _ in chosen)
    modules = Counter(m for _, m in chosen)
    return Surface(rows_of(c for c, _ in chosen), _ranked(kinds), _ranked(modules))


def rows_of(contracts: Iterable[Contract]) -> tuple[Row, ...]:
    """Contracts by symbol and kind, with all places."""
    places: dict[tuple[str, str], list[Location]] = {}
    for contract in contracts:
        places.setdefault((contract.symbol, contract.kind), []).append(contract.place.location)
    return tuple(Row(kind, name, tuple(sorted(set(at)))) for (name, kind), at in sorted(places.items()))


def _ranked(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def shown(places: Sequence[Location], most: int = 3) -> str:
    """A few places in one line."""
    first = ", ".join(f"{p.file}:{p.line}" for p in places[:most])
    return first + (f" and {len(places) - most} more" if len(places) > most else "")
