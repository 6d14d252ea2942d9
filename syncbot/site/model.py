"""The content of a site, and the entries of its search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from syncbot.lanes.matrix import Matrix
from syncbot.report.catalogue import Words
from syncbot.site.days import Day
from syncbot.site.heat_map import Cases
from syncbot.site.patches import PatchPage
from syncbot.site.upgrades import UpgradePage


@dataclass(frozen=True, slots=True)
class SiteContent:
    """All that a site called ``name`` shows, in the readers' order; a backend may lack any of it. ``sources``
    are those of our files that impacts name, as they are now."""

    name: str
    words: Words
    matrix: Matrix | None = None
    cases: Cases = field(default_factory=Cases)
    days: tuple[Day, ...] = ()
    patches: tuple[PatchPage, ...] = ()
    upgrades: tuple[UpgradePage, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchEntry:
    """An entry of the search; ``kind`` is the catalogue's, ``url`` relative to the site's root."""

    kind: str
    title: str
    beside: str
    url: str
