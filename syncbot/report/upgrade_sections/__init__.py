"""The sections of the report of an upgrade: one module each, found by its presence here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from syncbot.package_modules import import_all
from syncbot.report.catalogue import Words
from syncbot.report.model import Report

#: What a section says, in blocks of Markdown, and how many things that are.
Told = tuple[int, Sequence[str]]
Teller = Callable[[Report, Words], Told]


@dataclass(frozen=True, slots=True)
class Section:
    """A section with the key of its heading; sections stand in the order of their places."""

    place: int
    heading: str
    tell: Teller


_SECTIONS: list[Section] = []


def section(place: int, heading: str) -> Callable[[Teller], Teller]:
    """Register a function ``(report, words) -> (number, blocks)`` as a section."""

    def register(function: Teller) -> Teller:
        _SECTIONS.append(Section(place, heading, function))
        return function

    return register


def sections() -> Iterator[Section]:
    """All sections in their order."""
    import_all(__name__)
    yield from sorted(_SECTIONS, key=lambda each: each.place)
