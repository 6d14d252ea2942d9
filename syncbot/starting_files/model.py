"""Findings about a project, and the files that are made from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from packaging.version import Version


@dataclass(frozen=True, slots=True)
class FollowedRelease:
    """A release of the upstream, with the Pythons it runs on and what it requires in one exact version."""

    version: Version
    python: str
    pinned: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The findings about a project. ``package`` is its import package, ``releases`` those of the upstream
    that it may run with, the newest first; ``baseline`` is the one that its sources are for."""

    distribution: str | None
    package: str
    tests: Sequence[str]
    upstream: str
    upstream_packages: Sequence[str]
    repository: str | None
    releases: Sequence[FollowedRelease]
    baseline: Version | None


@dataclass(frozen=True, slots=True)
class StartingFile:
    """A file to write at a path below the project, and what it is for."""

    path: str
    text: str
    reason: str
