"""Which releases of a distribution a question is about, and which file of each to import."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from syncbot.errors import UsageError
from syncbot.upstream.index_listing import IndexFile, Listing, uploaded_at

_LATEST = re.compile(r"latest(?:~(\d+))?$")
# An abbreviated sha may look like a version: 1234567, 12a4567.
_SHA = re.compile(r"[0-9a-f]{7,}")


@dataclass(frozen=True, slots=True)
class Follow:
    """The releases that are followed: those that a PEP 440 specifier admits, all where there is none."""

    specifier: str | None = None
    prereleases: bool = False


@dataclass(frozen=True, slots=True)
class These:
    """The releases that some references name (``0.32.0``, ``v0.32.0``, ``latest~1``), the newest where none
    does. Other references name none."""

    refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Between:
    """Two releases, and every followed one between them."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class During:
    """The followed releases of a period, ends included, and the one before the first of them."""

    since: datetime | None
    until: datetime | None


Wanted = These | Between | During


@dataclass(frozen=True, slots=True)
class Choice:
    """The file to import of each release, oldest release first. ``latest`` says which of them is the Nth
    before the newest, for the numbers that were asked for."""

    files: Mapping[Version, IndexFile]
    latest: Mapping[int, Version]


def is_latest(ref: str) -> bool:
    """Whether a reference counts releases from the newest."""
    return _LATEST.match(ref) is not None


def steps_back(ref: str) -> int | None:
    """How many releases before the newest a reference means; None where it does not count from there."""
    named = _LATEST.match(ref)
    return int(named[1] or 0) if named is not None else None


def version_of(ref: str) -> Version | None:
    """The version that a reference is; None for a sha, a branch, or ``latest``."""
    try:
        return None if _SHA.fullmatch(ref) else Version(ref)
    except InvalidVersion:
        return None


def named_versions(wanted: Wanted) -> tuple[Version, ...]:
    """The versions that a question names."""
    return tuple(version for version in map(version_of, _refs(wanted)) if version is not None)


def choose(distribution: str, listing: Listing, wanted: Wanted, follow: Follow) -> Choice:
    """The releases that a question is about; none for a period without any. Raises UsageError for a version
    that the index lacks, for what names no release, and for a period with nothing before it."""
    known = followed(listing, follow)
    latest = {back: _counted(back, known) for back in map(steps_back, _refs(wanted)) if back is not None}
    match wanted:
        case These(refs):
            chosen = set(_named(distribution, listing, refs).values())
            chosen |= set(latest.values()) or ({*known[-1:]} if not chosen else set())
        case Between(old, new):
            ends = _named(distribution, listing, (old, new))
            for ref in (old, new):
                if (back := steps_back(ref)) is not None:
                    ends[ref] = latest[back]
                elif ref not in ends:
                    raise UsageError(
                        f"{ref!r} names no release of {distribution}, which is followed by releases: "
                        "name a version such as 0.1.0, or latest~1"
                    )
            first, last = sorted((ends[old], ends[new]))
            chosen = {first, last, *(version for version in known if first < version < last)}
        case During(since, until):
            chosen = _during(distribution, listing, known, since, until)
    offered = listing.versions()
    return Choice({version: chosen_file(offered[version]) for version in sorted(chosen)}, latest)


def followed(listing: Listing, follow: Follow) -> list[Version]:
    """The versions that are followed, oldest first: yanked ones are left out, pre-releases unless they are
    admitted, and those without an sdist if any has one."""
    any_sdist = any(file.kind == "sdist" for file in listing.files)
    specifier = SpecifierSet(follow.specifier or "")
    return [
        version
        for version, files in listing.versions().items()
        if specifier.contains(version, prereleases=True)
        and (follow.prereleases or not version.is_prerelease)
        and any(not file.yanked and (file.kind == "sdist" or not any_sdist) for file in files)
    ]


def chosen_file(files: Sequence[IndexFile]) -> IndexFile:
    """The file of a release that is imported."""
    return min(files, key=_preference)


def _refs(wanted: Wanted) -> tuple[str, ...]:
    match wanted:
        case These(refs):
            return refs
        case Between(old, new):
            return old, new
        case During():
            return ()


def _named(distribution: str, listing: Listing, refs: Sequence[str]) -> dict[str, Version]:
    """The versions of those references that are versions."""
    named = {ref: version for ref in refs if (version := version_of(ref)) is not None}
    known = listing.versions()
    for version in named.values():
        if version not in known:
            raise UsageError(
                f"there is no {distribution} {version} on the package index: {_nearest(version, known)}"
            )
    # As the index spells them: 0.3 and 0.3.0 are one version.
    spelled = {version: version for version in known}
    return {ref: spelled[version] for ref, version in named.items()}


def _counted(back: int, known: Sequence[Version]) -> Version:
    """The Nth release before the newest; pre-releases do not count, unless there is nothing else."""
    final = [version for version in known if not version.is_prerelease] or list(known)
    if back >= len(final):
        raise UsageError(
            f"latest~{back} asks for release {back + 1} from the end, but there are {len(final)}"
        )
    return final[-1 - back]


def _during(
    distribution: str,
    listing: Listing,
    known: Sequence[Version],
    since: datetime | None,
    until: datetime | None,
) -> set[Version]:
    offered = listing.versions()
    inside = [
        version
        for version in known
        if (moment := uploaded_at(chosen_file(offered[version]).uploaded)) is not None
        and (since is None or moment >= since)
        and (until is None or moment <= until)
    ]
    if not inside:
        return set()
    before = [version for version in known if version < inside[0]]
    if not before:
        raise UsageError(
            f"the period reaches back to {distribution} {inside[0]}, before which there is no release to "
            "compare with: name a later --since or --from"
        )
    return {version for version in known if before[-1] <= version <= inside[-1]}


def _preference(file: IndexFile) -> tuple[bool, bool, bool, bool, str]:
    """Not yanked, then an sdist, then pure Python, then the commonest platform; the name settles the rest."""
    name = file.filename
    return (file.yanked, file.kind != "sdist", not name.endswith("-any.whl"), "x86_64" not in name, name)


def _nearest(version: Version, versions: Mapping[Version, Sequence[IndexFile]]) -> str:
    below = [str(other) for other in versions if other < version][-2:]
    above = [str(other) for other in versions if other > version][:2]
    return f"the nearest are {', '.join(below + above)}" if below or above else "it has no releases there"
