"""What a lane's environment is made of, and the digest that names it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

#: Raised whenever environments are put together in another way, so that old ones are not taken for new.
_LAYOUT = 1


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what an environment holds.

    ``distribution`` and ``version`` name the upstream release that is built from the source
    distribution with digest ``sdist_sha256``. ``pins`` are exact requirements (``torch==2.13.0``) that
    hold for building and for running, whatever upstream's own build requirements say. ``requires`` are
    further requirements, ``build_environment`` the variables that choose the kind of build, ``python``
    the minor version of the interpreter. ``sources`` says where packages may come from: a configuration
    that offers another build of the same version makes another environment.

    ``published`` names the wheel that stands in for a source distribution where there is none, ``without``
    its requirements that are left out; the wheel's digest then stands in ``sdist_sha256``.
    """

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

    @property
    def digest(self) -> str:
        """A digest of the whole recipe, the same for pins and requirements in any order."""
        return _digest(
            {
                "layout": _LAYOUT,
                "distribution": self.distribution,
                "version": self.version,
                "sdist": self.sdist_sha256,
                "python": self.python,
                "pins": sorted(self.pins),
                "requires": sorted(self.requires),
                "build": sorted(self.build_environment),
                "sources": sorted(self.sources),
                **self._wheel(),
            }
        )

    @property
    def build_digest(self) -> str:
        """A digest of only what decides the upstream wheel."""
        return _digest(
            {
                "layout": _LAYOUT,
                "sdist": self.sdist_sha256,
                "python": self.python,
                "build": sorted(self.build_environment),
                "pins": sorted(self.pins),
                **self._wheel(),
            }
        )

    def _wheel(self) -> dict[str, object]:
        """What tells a recipe on a published wheel from one on the source distribution."""
        return {"published": self.published, "without": sorted(self.without)} if self.published else {}

    @property
    def name(self) -> str:
        """The environment's folder name: readable, and different for different recipes."""
        return f"{self.distribution}-{self.version}-{self.digest[:12]}"


def _digest(facts: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
