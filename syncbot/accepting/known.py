"""The file of known findings: what a check found when it was written, so that later ones tell what is new.

A finding is known by its id and by how many places it has in a file, not by lines: these move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import tomlkit
from pydantic import BaseModel, ConfigDict, Field

from syncbot.accepting.entries import rows
from syncbot.atomic import write_file
from syncbot.contracts.changes import ChangeKind
from syncbot.impact.model import Impact, Verdict

_HEAD = "Written by `syncbot check --write-baseline`: what it found then. Later checks tell what is new."
_WORST = (Verdict.BREAKS, Verdict.AT_RISK, Verdict.DRIFT)


class KnownFinding(BaseModel):
    """A finding in a ``file`` of the backend, at so many ``places`` of it; ``commit`` is the guilty one of an
    ``upstream``, empty where none is known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)
    file: str
    places: int = Field(gt=0)
    verdict: Verdict
    kind: ChangeKind
    symbol: str
    upstream: str
    commit: str = ""


@dataclass(frozen=True, slots=True)
class KnownFindings:
    """The known findings about one upstream, from the file of that ``name``; ``commits`` are those of which a
    check reports every finding: a known one of theirs that it does not report is gone."""

    name: str
    findings: Sequence[KnownFinding] = ()
    commits: frozenset[str] = frozenset()

    def files(self, impact: Impact) -> frozenset[str]:
        """The files in which an impact is known: it is no worse than it was, and has no more places. Where it
        has more, nobody can tell which of them is new: all of that file are."""
        places = Counter(place.file for place in impact.locations)
        return frozenset(
            known.file
            for known in self.findings
            if known.id == impact.id
            and places[known.file] <= known.places
            and _WORST.index(known.verdict) <= _rank(impact.verdict)
        )

    def gone(self, impacts: Iterable[Impact]) -> tuple[KnownFinding, ...]:
        """Return the known findings that are missing, or have fewer places, among the impacts of a check."""
        there = Counter((impact.id, place.file) for impact in impacts for place in impact.locations)
        return tuple(
            known
            for known in self.findings
            if known.commit in self.commits and there[known.id, known.file] < known.places
        )


def known_findings(file: Path) -> tuple[KnownFinding, ...]:
    """Return the findings in a file. Raises ConfigurationError, and FileNotFoundError."""
    return rows(file, KnownFinding)


def findings_of(upstream: str, impacts: Iterable[Impact]) -> list[KnownFinding]:
    """Return what is to be known of the harmful impacts of a check, a row for each file of each."""
    return [
        KnownFinding(
            id=impact.id, file=file, places=places, verdict=impact.verdict, kind=impact.kind,
            symbol=impact.symbol, upstream=upstream, commit=impact.commit,
        )
        for impact in impacts
        if impact.verdict in _WORST
        for file, places in Counter(place.file for place in impact.locations).items()
    ]  # fmt: skip


def write(file: Path, findings: Iterable[KnownFinding]) -> None:
    """Write a file of known findings, sorted, so that a new one differs in what is new. Raises
    EnvironmentFailure."""
    document = tomlkit.document()
    document.add(tomlkit.comment(_HEAD))
    listed = tomlkit.aot()
    for finding in sorted(findings, key=lambda each: (each.upstream, each.file, each.symbol, each.id)):
        row = tomlkit.table()
        row.update(finding.model_dump(mode="json"))
        listed.append(row)
    document["finding"] = listed
    write_file(file, tomlkit.dumps(document).encode())


def _rank(verdict: Verdict) -> int:
    return _WORST.index(verdict) if verdict in _WORST else len(_WORST)
