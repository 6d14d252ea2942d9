"""Whether two projects can be installed beside each other, as far as their requirements tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from syncbot.project_metadata.stated_requirements import Stated, StatedPython

# Markers are decided for one installation, so that every machine gives the same answer.
_ENVIRONMENT = {
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.12.0",
    "python_version": "3.12",
    "sys_platform": "linux",
}


@dataclass(frozen=True, slots=True)
class Conflict:
    """Requirements of two projects, with their lines, that no version of a distribution or Python meets."""

    name: str
    ours: str
    theirs: str


def conflicts(
    ours: Iterable[Stated],
    theirs: Iterable[Stated],
    our_python: StatedPython | None,
    their_python: StatedPython | None,
) -> tuple[Conflict, ...]:
    """Return what of the requirements of two projects no version can meet, for CPython on Linux."""
    found: list[Conflict] = []
    if our_python is not None and their_python is not None:
        found += _of_python(our_python, their_python)
    mine = [each for each in ours if _applies(each)]
    for other in theirs:
        if _applies(other):
            for each in mine:
                if each.name == other.name and not _meet(
                    each.requirement.specifier, other.requirement.specifier
                ):
                    found.append(Conflict(each.name, str(each), str(other)))
    return tuple(found)


def _of_python(ours: StatedPython, theirs: StatedPython) -> list[Conflict]:
    meet = _meet(ours.specifier, theirs.specifier)
    return [] if meet else [Conflict("python", str(ours), str(theirs))]


def _applies(stated: Stated) -> bool:
    marker = stated.requirement.marker
    return marker is None or marker.evaluate({**_ENVIRONMENT, "extra": stated.extra or ""})


def _meet(one: SpecifierSet, other: SpecifierSet) -> bool:
    """Whether some version is in both: if any is, one is at a named version, or next to it."""
    both = one & other
    return any(both.contains(version, prereleases=True) for version in _candidates([*one, *other]))


def _candidates(specifiers: Sequence[object]) -> Iterator[Version]:
    yield Version("0")
    for each in specifiers:
        written = str(getattr(each, "version", "0")).removesuffix(".*")
        named = Version(written)
        yield named
        yield Version(f"{'.'.join(map(str, (*named.release, 0, 1)))}")
        yield from _before(named)
        # Behind all of `!=1.2.*`, and of `~=1.2`.
        *head, last = named.release
        yield Version(".".join(map(str, (*head, last + 1))))


def _before(named: Version) -> Iterator[Version]:
    """A version between a named one and all others that are named before it."""
    release = list(named.release)
    while release and release[-1] == 0:
        release.pop()
    if release:
        yield Version(".".join(map(str, (*release[:-1], release[-1] - 1, 999999))))
