"""The upstream definitions that a project relies on, each with how it does, and where."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from syncbot.api.symbols import Symbol
from syncbot.contracts.calls.targets import CallContract, defining
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.copies import CopyContract
from syncbot.contracts.kinds.hooks import HookContract
from syncbot.contracts.kinds.overrides import OverrideContract
from syncbot.contracts.kinds.patches import PatchContract
from syncbot.contracts.kinds.subclasses import SubclassContract
from syncbot.contracts.model import Contract, Location
from syncbot.upgrade.definitions import interface, whole
from syncbot.upgrade.model import Likeness, Notice, Topic, Way

_WAYS: Mapping[type[Contract], Way] = {
    CallContract: Way.CALLED,
    OverrideContract: Way.OVERRIDDEN,
    PatchContract: Way.OVERRIDDEN,
    HookContract: Way.OVERRIDDEN,
    CopyContract: Way.COPIED,
    SubclassContract: Way.SUBCLASSED,
}


@dataclass(frozen=True, slots=True)
class UsedName:
    """An upstream definition at the older end, and what it is at the newer one, None where it is gone.
    ``places`` are ours by the way in which they rely on it, ``receivers`` the project's classes below it;
    ``kept``: by the names that the project writes it is still found."""

    before: Symbol
    after: Symbol | None
    places: Mapping[Way, Sequence[Location]]
    receivers: tuple[str, ...] = ()
    kept: bool = True

    @property
    def name(self) -> str:
        """The dotted name for a reader: at the newer end where it is found there, else at the older one."""
        return (self.after if self.after is not None and self.kept else self.before).name

    @property
    def likeness(self) -> Likeness:
        """How the definition changed."""
        if self.after is None or not self.kept:
            return Likeness.GONE
        before, after = self.before.nodes, self.after.nodes
        if whole(before) == whole(after):
            return Likeness.SAME
        return Likeness.SAME_SIGNATURE if interface(before) == interface(after) else Likeness.CHANGED

    def at(self, *ways: Way) -> tuple[Location, ...]:
        """Our places that rely on it in one of these ways, sorted."""
        return tuple(sorted({place for way in ways for place in self.places.get(way, ())}))

    def noticed(
        self,
        topic: Topic,
        what: str,
        *ways: Way,
        home: str = "",
        subject: str = "",
        before: str | None = None,
        after: str | None = None,
    ) -> Notice:
        """A notice of it, or of the definition ``home`` that it has something of, for the places that rely on
        it in one of these ways."""
        return Notice(
            topic=topic,
            what=what,
            symbol=home or self.name,
            ways=self.relied_on(*ways),
            places=self.at(*ways),
            subject=subject,
            before=before or "",
            after=after or "",
        )

    def relied_on(self, *ways: Way) -> tuple[Way, ...]:
        """Those of these ways in which the project relies on it."""
        return tuple(way for way in ways if self.places.get(way))


def used_names(
    contracts: Iterable[Contract], pair: Comparison, tests: Collection[str] = ()
) -> tuple[UsedName, ...]:
    """Return the definitions of the older tree that contracts name, in alphabetical order; modules are none.
    What only files of ``tests`` name is left out."""
    found: dict[str, Symbol] = {}
    places: dict[str, dict[Way, list[Location]]] = {}
    receivers: dict[str, set[str]] = {}
    written: dict[str, set[str]] = {}
    for contract in contracts:
        if contract.told_beside or contract.place.location.file in tests:
            continue
        symbol = _defined(contract, pair)
        if symbol is None:
            continue
        name = symbol.name
        found[name] = symbol
        written.setdefault(name, set()).add(contract.symbol)
        way = _WAYS.get(type(contract), Way.READ)
        places.setdefault(name, {}).setdefault(way, []).append(contract.place.location)
        if isinstance(contract, SubclassContract):
            receivers.setdefault(name, set()).add(contract.receiver)
    return tuple(
        UsedName(
            symbol,
            _now(symbol, pair),
            places[name],
            tuple(sorted(receivers.get(name, ()))),
            _is_found(name, pair) or all(_is_found(each, pair) for each in written[name]),
        )
        for name, symbol in sorted(found.items())
    )


def _defined(contract: Contract, pair: Comparison) -> Symbol | None:
    """The definition that a contract relies on; None for a module, and for what is not upstream's."""
    name = defining(contract, pair.old) if isinstance(contract, CallContract) else contract.symbol
    found = pair.old.resolve(name or contract.symbol)
    known = found is not None and found.kind in ("class", "function", "variable") and bool(found.nodes)
    return found if found is not None and known and pair.is_upstream(found.name) else None


def _now(before: Symbol, pair: Comparison) -> Symbol | None:
    after = pair.now(before.name)
    return after if after is not None and not pair.vanished(after) else None


def _is_found(name: str, pair: Comparison) -> bool:
    return not pair.vanished(pair.new.resolve(name))
