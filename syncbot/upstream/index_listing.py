"""A package index's listing of a distribution, and how it is kept between runs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

import msgspec
from packaging.version import Version

from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.sealed_values import keep, recall
from syncbot.upstream.git_command import refuse_unencrypted


class IndexUnreachable(EnvironmentFailure):
    """The package index gave no answer, or none that can be used."""


@dataclass(frozen=True, slots=True)
class IndexAddress:
    """Where an index is, without the user and password, which go to its own host only."""

    url: str
    host: str
    credentials: tuple[str, str] | None

    @property
    def name(self) -> str:
        """A short name for what is kept of this index."""
        return hashlib.sha256(self.url.encode()).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class IndexFile:
    """One file of a distribution. ``uploaded`` is ISO 8601, or None where the page does not say."""

    filename: str
    url: str
    version: str
    kind: str
    sha256: str | None
    uploaded: str | None
    yanked: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """The files that the index offered of a distribution at a time (seconds since the epoch)."""

    fetched: float
    files: tuple[IndexFile, ...]

    def versions(self) -> dict[Version, list[IndexFile]]:
        """The files of each version, oldest version first."""
        found: dict[Version, list[IndexFile]] = {}
        for file in self.files:
            found.setdefault(Version(file.version), []).append(file)
        return dict(sorted(found.items()))


def uploaded_at(text: str | None) -> datetime | None:
    """The moment that an index tells of an upload; None where it tells none."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def address(url: str) -> IndexAddress:
    """The parts of an index's URL. Raises UsageError for what is no http or https URL."""
    try:
        given = urlsplit(url.rstrip("/") + "/")
    except ValueError:
        given = urlsplit("")
    if given.scheme not in ("http", "https") or not given.hostname:
        raise UsageError(
            "the package index must have an http or https URL, such as https://index.example/simple"
        )
    refuse_unencrypted(url)
    host = given.netloc.rpartition("@")[2]
    credentials = (unquote(given.username), unquote(given.password or "")) if given.username else None
    return IndexAddress(urlunsplit(given._replace(netloc=host)), host, credentials)


def save(listing: Listing, path: Path) -> None:
    """Keep a listing. Raises EnvironmentFailure."""
    keep(path.parents[1], path, msgspec.json.encode(listing))


def load(path: Path) -> Listing | None:
    """A kept listing, or None if there is none that can be read."""
    known = recall(path.parents[1], path)
    return msgspec.json.decode(known, type=Listing) if known is not None else None
