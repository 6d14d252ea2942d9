"""The inputs that decide a lane's environment, and the digest that names it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from syncbot.verify.lane_lock import LaneLock

#: Raised whenever environments are put together in another way, so that old ones are not taken for new.
_LAYOUT = 1


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what an environment holds. ``pins`` are exact requirements, for building and
    running, whatever upstream's build asks for; ``build_environment`` chooses the kind of build; ``sources``
    says where packages come from, ``lock`` which of their files. ``published`` names the wheel that stands in
    for the source distribution (its digest is ``sdist_sha256``), ``without`` its requirements that are left
    out."""

    distribution: str
    version: str
    sdist_sha256: str
    python: str
    pins: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    build_environment: tuple[tuple[str, str], ...] = ()
    sources: tuple[tuple[str, str], ...] = ()
    published: str | None = None
    without: tuple[str, ...] = ()
    lock: LaneLock | None = None

    @property
    def digest(self) -> str:
        """A digest of the whole recipe, the same for pins and requirements in any order; with a lock, of the
        environment that was locked, wherever its packages come from now."""
        if self.lock is not None:
            return self.lock.environment
        return _digest(self._wanted() | {"sources": sorted(self.sources)})

    @property
    def wanted_digest(self) -> str:
        """A digest of what is asked for, wherever packages come from."""
        return _digest(self._wanted())

    @property
    def build_digest(self) -> str:
        """A digest of only what decides the upstream wheel."""
        return _digest(self._of_wheel())

    def _wanted(self) -> dict[str, object]:
        return self._of_wheel() | {
            "distribution": self.distribution,
            "version": self.version,
            "requires": sorted(self.requires),
        }

    def _of_wheel(self) -> dict[str, object]:
        built = {
            "layout": _LAYOUT,
            "sdist": self.sdist_sha256,
            "python": self.python,
            "build": sorted(self.build_environment),
            "pins": sorted(self.pins),
        }
        if self.published:
            return built | {"published": self.published, "without": sorted(self.without)}
        return built

    @property
    def name(self) -> str:
        """The environment's folder name: readable, and different for different recipes."""
        return f"{self.distribution}-{self.version}-{self.digest[:12]}"


def _digest(facts: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
