"""Which releases of a distribution to import, and which file of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from syncbot.errors import UsageError
from syncbot.upstream.index_listing import IndexFile, Listing

NEWEST = 2


@dataclass(frozen=True, slots=True)
class Follow:
    """The releases to follow without naming them: those of a PEP 440 specifier, else the newest two."""

    specifier: str | None = None
    prereleases: bool = False


def choose(
    distribution: str, listing: Listing, named: Sequence[Version], follow: Follow | None
) -> dict[Version, IndexFile]:
    """The file to import of every named and every followed release, oldest first. Of those not named, yanked
    ones are left out, pre-releases unless ``follow`` admits them, and those without an sdist if any has one.
    Raises UsageError for a named version that the index lacks."""
    versions = listing.versions()
    for version in named:
        if version not in versions:
            raise UsageError(
                f"there is no {distribution} {version} on the package index: {_nearest(version, versions)}"
            )
    followed: list[Version] = []
    if follow is not None:
        any_sdist = any(file.kind == "sdist" for file in listing.files)
        specifier = SpecifierSet(follow.specifier or "")
        followed = [
            version
            for version, files in versions.items()
            if specifier.contains(version, prereleases=True)
            and (follow.prereleases or not version.is_prerelease)
            and any(not file.yanked and (file.kind == "sdist" or not any_sdist) for file in files)
        ]
        if follow.specifier is None:
            followed = followed[-NEWEST:]
    return {version: min(versions[version], key=_preference) for version in sorted({*named, *followed})}


def _preference(file: IndexFile) -> tuple[bool, bool, bool, bool, str]:
    """Not yanked, then an sdist, then pure Python, then the commonest platform; the name settles the rest."""
    name = file.filename
    return (file.yanked, file.kind != "sdist", not name.endswith("-any.whl"), "x86_64" not in name, name)


def _nearest(version: Version, versions: Sequence[Version] | dict[Version, list[IndexFile]]) -> str:
    below = [str(other) for other in versions if other < version][-2:]
    above = [str(other) for other in versions if other > version][:2]
    return f"the nearest are {', '.join(below + above)}" if below or above else "it has no releases there"
