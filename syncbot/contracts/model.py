"""Contracts, and what comparing two upstream trees says of them."""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import ClassVar

from syncbot.contracts.changes import NOTHING_MORE, AnyDetails, ChangeKind, require_family
from syncbot.contracts.grounds import Ground as Ground
from syncbot.contracts.grounds import Verdict as Verdict


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in the backend: path relative to the backend's root, 1-based line, 1-based column."""

    file: str
    line: int
    column: int = 1


@dataclass(frozen=True, slots=True)
class Place:
    """Where a contract stands: location, module and scope around it, and the conditions it runs under."""

    location: Location
    module: str
    scope: str = ""
    guards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """One reliance of the backend on an upstream symbol, named as the backend reaches it. ``check`` is the
    module that found it: two that find the same reliance find one contract."""

    symbol: str
    place: Place
    check: str = field(default="", compare=False)
    #: Whether another contract at the same place tells of that reliance: this one is not counted then.
    told_beside: ClassVar[bool] = False

    @property
    def kind(self) -> str:
        """The kind's name: ``import``, ``override``, ``skipped-init`` …"""
        words = re.findall("[A-Z][a-z]*", type(self).__name__.removesuffix("Contract"))
        return "-".join(words).lower()


@dataclass(frozen=True, slots=True)
class Finding:
    """One way in which upstream no longer keeps a contract. ``subject`` is the part of the symbol concerned:
    two changes of one symbol are two findings. ``part`` splits only the search for the guilty commit."""

    contract: Contract
    kind: ChangeKind
    symbol: str
    ground: Ground
    reason: str
    _: KW_ONLY
    subject: str = ""
    details: AnyDetails = NOTHING_MORE
    part: str = ""

    def __post_init__(self) -> None:
        require_family(self.kind, self.details)

    @property
    def verdict(self) -> Verdict:
        """Return what it means."""
        return self.ground.verdict

    def doubted(self, ground: Ground, why: str) -> Finding:
        """The same with a weaker ground, and the reason for that."""
        return replace(self, reason=f"{self.reason}{why}", ground=ground)

    @property
    def meaning(self) -> str:
        """The subject, and the backend's own class by which the code reaches what upstream defines, where the
        reason names that one: of two such classes two things are said."""
        named = self.contract.symbol
        through = named != self.symbol and self.reason.startswith(f"{named}()")
        return f"{self.subject} of {named}" if through else self.subject

    @property
    def key(self) -> tuple[str, str, str, Location]:
        """Return what makes two findings the same one at different commits."""
        return (self.contract.symbol, self.subject, self.part, self.contract.place.location)
