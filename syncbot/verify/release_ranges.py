"""Which releases a project runs on, in words and as one requirement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from packaging.version import Version


@dataclass(frozen=True, slots=True)
class Borders:
    """Where an answer changes: the last release before, the first behind, and whether the project ``runs``
    on that one."""

    before: Version
    behind: Version
    runs: bool


def ranges(runs: Mapping[Version, bool]) -> tuple[tuple[Version, Version], ...]:
    """Return the first and the last of each row of releases that a project runs on, oldest first."""
    rows = (list(row) for works, row in groupby(sorted(runs), runs.__getitem__) if works)
    return tuple((row[0], row[-1]) for row in rows)


def borders(runs: Mapping[Version, bool]) -> tuple[Borders, ...]:
    """Return where the answer changes between releases that follow each other."""
    known = sorted(runs)
    return tuple(Borders(a, b, runs[b]) for a, b in pairwise(known) if runs[a] is not runs[b])


def in_words(runs: Mapping[Version, bool]) -> str:
    """Return the releases that a project runs on, such as ``0.22 to 0.27 and 0.29``; empty for none."""
    parts = []
    for first, last in ranges(runs):
        one, other = _label(first, runs), _label(last, runs)
        parts.append(one if one == other else f"{one} to {other}")
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def requirement(distribution: str, runs: Mapping[Version, bool]) -> str | None:
    """Return a requirement that, of the given releases, allows exactly those that a project runs on; None for
    none. What comes after the newest of them it does not allow."""
    works = [version for version in sorted(runs) if runs[version]]
    if not works:
        return None
    first, last = works[0], works[-1]
    parts = [f">={_short(first)}", f"<{_above(last, sorted(runs))}"]
    failing = [version for version in sorted(runs) if first < version < last and not runs[version]]
    for minor, row in groupby(failing, _minor):
        lacking = list(row)
        whole = not any(runs[version] for version in runs if _minor(version) == minor)
        parts += [f"!={minor}.*"] if whole else [f"!={version}" for version in lacking]
    return distribution + ",".join(parts)


def _minor(version: Version) -> str:
    return f"{version.major}.{version.minor}"


def _label(version: Version, runs: Mapping[Version, bool]) -> str:
    """The series where all of it has one answer, else the version."""
    same = {runs[other] for other in runs if _minor(other) == _minor(version)}
    return (
        _minor(version)
        if len(same) == 1 and not version.is_prerelease and not version.epoch
        else str(version)
    )


def _short(version: Version) -> str:
    plain = version.micro == 0 and not (version.is_prerelease or version.is_postrelease or version.epoch)
    return _minor(version) if plain and len(version.release) <= 3 else str(version)


def _above(last: Version, known: Sequence[Version]) -> str:
    """Return the requirement's upper bound: the next series, or the next release that fails."""
    behind = next((version for version in known if version > last), None)
    if behind is None:
        return f"{last.major}.{last.minor + 1}"
    return _minor(behind) if _minor(behind) != _minor(last) else str(behind)
