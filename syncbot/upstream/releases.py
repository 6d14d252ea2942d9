"""Releases of the package index as a git repository: one commit and one tag a release. A commit has no
parent: its sha depends on the release alone. What a question sees of them is a view of its own
(`syncbot.upstream.release_view`)."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name
from packaging.version import Version

from syncbot.limits import Limits
from syncbot.upstream import index_listing as listings
from syncbot.upstream import release_store
from syncbot.upstream.archive import newest_member
from syncbot.upstream.git_command import Access, GitCommand
from syncbot.upstream.index_listing import IndexAddress, IndexUnreachable, Listing, uploaded_at
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.release_choice import (
    Between,
    Choice,
    During,
    Follow,
    These,
    Wanted,
    choose,
    chosen_file,
    followed,
    is_latest,
    named_versions,
    version_of,
)
from syncbot.upstream.release_view import view

if TYPE_CHECKING:
    from syncbot.upstream.package_index import PackageIndex

_log = logging.getLogger(__name__)
_ALL = Follow()
_SHA = re.compile(r"[0-9a-f]{7,40}")


@dataclass(frozen=True, slots=True)
class Releases:
    """The releases of one distribution. ``index`` is a URL (else ``PIP_INDEX_URL``, else the public one),
    which is asked when what it listed last is older than ``refresh_hours``. ``most`` bounds an archive."""

    distribution: str
    cache: Path
    follow: Follow = _ALL
    index: str | None = None
    refresh_hours: float = 1.0
    most: int = Limits().archive_bytes

    def history(self, wanted: Wanted, meter: Meter = no_meter) -> Path | None:
        """A bare repository with the releases that a question is about, and no others: a tag ``vX.Y.Z`` for
        each, and each the child of the one before. What is missing is downloaded. None for a period without
        a release. Raises UsageError for what does not exist, EnvironmentFailure for an index out of reach
        or a bad download."""
        store = self._store
        there = release_store.tags(store)
        wanted = _with_versions(wanted, there)
        if isinstance(wanted, These) and (versions := _explicit(wanted)) and there.keys() >= versions:
            chosen = {version: sha for version, sha in there.items() if version in versions}
            return view(store.git_dir, chosen, {})
        choice = self._choice(wanted, meter)
        if not choice.files:
            return None
        if not there.keys() >= choice.files.keys():
            client = _client(self._address)
            there = release_store.bring_in(
                store, self.distribution, choice.files, client, self.cache, meter, self.most
            )
        return view(store.git_dir, {version: there[version] for version in choice.files}, choice.latest)

    def newest(self) -> tuple[Version, datetime | None] | None:
        """The newest followed release that the index lists, and when it came there. Raises
        EnvironmentFailure for an index out of reach."""
        listing = self._listing(())
        known = followed(listing, self.follow)
        return (
            (known[-1], uploaded_at(chosen_file(listing.versions()[known[-1]]).uploaded)) if known else None
        )

    def versions(self) -> tuple[Version, ...]:
        """The followed releases that the index lists, oldest first. Raises EnvironmentFailure for an index
        out of reach."""
        return tuple(followed(self._listing(()), self.follow))

    def repository(self) -> str | None:
        """The address of the git repository that the distribution names; None where that is not known."""
        return _client(self._address).repository(self.distribution)

    def any_during(self, period: During, meter: Meter = no_meter) -> bool:
        """Whether a release came in a period; nothing is imported to tell. Raises what `history` does."""
        return bool(self._choice(period, meter).files)

    def _choice(self, wanted: Wanted, meter: Meter) -> Choice:
        listing = self._listing(named_versions(wanted))
        if isinstance(wanted, During):
            listing = self._dated(listing, wanted.since, meter)
        return choose(self.distribution, listing, wanted, self.follow)

    @property
    def _address(self) -> IndexAddress | None:
        url = self.index or os.environ.get("PIP_INDEX_URL")
        return listings.address(url) if url else None

    @property
    def _store(self) -> GitCommand:
        address = self._address
        name = f"{canonicalize_name(self.distribution)}-{address.name if address else 'public'}"
        return GitCommand(self.cache / "releases" / f"{name}.git", Access.OWN)

    @property
    def _kept_at(self) -> Path:
        return self._store.git_dir.with_suffix(".json")

    def _listing(self, named: Sequence[Version]) -> Listing:
        """Return the index's listing: the kept one where it is new enough and has all named versions."""
        kept = listings.load(self._kept_at)
        knows = kept is not None and kept.versions().keys() >= {*named}
        if kept is not None and knows and 0 <= time.time() - kept.fetched < self.refresh_hours * 3600:
            return kept
        try:
            listing = _client(self._address).listing(self.distribution)
        except IndexUnreachable as error:
            if kept is None or not knows:
                raise
            day = datetime.fromtimestamp(kept.fetched, UTC)
            _log.warning("%s (going on with what the index listed on %s)", error, f"{day:%Y-%m-%d %H:%M} UTC")
            return kept
        listings.save(listing, self._kept_at)
        return listing

    def _dated(self, listing: Listing, since: datetime | None, meter: Meter) -> Listing:
        """The listing with the days of its releases. Where neither the page nor the index's other interface
        tells them, the newest archives do, back to the first that is older than ``since``."""
        offered = listing.versions()
        chosen = [chosen_file(offered[version]) for version in followed(listing, self.follow)]
        if all(uploaded_at(file.uploaded) for file in chosen):
            return listing
        client = _client(self._address)
        times = client.upload_times(self.distribution)
        for file in reversed(chosen):
            moment = uploaded_at(file.uploaded) or uploaded_at(times.get(file.filename))
            if moment is None:
                moment = newest_member(client.download(file, self.cache, meter), file.filename, self.most)
                times[file.filename] = moment.isoformat()
            if since is not None and moment < since:
                break
        told = _with_times(listing, times)
        listings.save(told, self._kept_at)
        return told


def listed_versions(view_of: Path) -> tuple[Version, ...]:
    """The versions that the index had when a view was made of its releases, oldest first."""
    kept = listings.load(view_of.parent.with_suffix(".json"))
    return tuple(kept.versions()) if kept is not None else ()


def _with_versions(wanted: Wanted, there: Mapping[Version, str]) -> Wanted:
    """The question with the versions of those commits of ours that it names, as reports print them."""

    def told(ref: str) -> str:
        if version_of(ref) is not None or not _SHA.fullmatch(ref):
            return ref
        return next((str(version) for version, sha in there.items() if sha.startswith(ref)), ref)

    match wanted:
        case These(refs):
            return These(tuple(map(told, refs)))
        case Between(old, new):
            return Between(told(old), told(new))
        case During():
            return wanted


def _explicit(wanted: These) -> frozenset[Version]:
    """The versions that are asked for, where nothing else is."""
    return frozenset(() if any(map(is_latest, wanted.refs)) else named_versions(wanted))


def _with_times(listing: Listing, times: Mapping[str, str]) -> Listing:
    files = (replace(file, uploaded=file.uploaded or times.get(file.filename)) for file in listing.files)
    return replace(listing, files=tuple(files))


def _client(address: IndexAddress | None) -> PackageIndex:
    # Imported here: with requests and an HTML parser it takes longer than all else when nothing is new.
    from syncbot.upstream.package_index import PackageIndex

    return PackageIndex(address)
