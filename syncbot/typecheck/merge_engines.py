"""One finding a fact: what two engines say of the same place and name is the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from syncbot.typecheck.model import Finding


@dataclass(frozen=True, slots=True)
class Found:
    """A finding of at most one name, and the engines that agree on it."""

    finding: Finding
    engines: tuple[str, ...]


def merge(findings: Iterable[Finding]) -> list[Found]:
    """The findings, one a name and place, sorted by place; the one that says most speaks for all."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    nameless: list[Finding] = []
    for finding in _split(findings):
        if finding.names:
            groups.setdefault(_key(finding), []).append(finding)
        else:
            nameless.append(finding)
    for finding in nameless:
        # One engine names the parameter, the other only the line.
        same = [
            key
            for key in groups
            if key[:3] == _key(finding)[:3] and _engines(groups[key]) != {finding.engine}
        ]
        key = same[0] if len(same) == 1 else _key(finding)
        groups.setdefault(key, []).append(finding)
    found = [Found(max(group, key=_detail), tuple(sorted(_engines(group)))) for group in groups.values()]
    return sorted(found, key=lambda f: (f.finding.diagnostic, f.finding.names))


def _split(findings: Iterable[Finding]) -> Iterator[Finding]:
    for finding in findings:
        if len(finding.names) < 2:
            yield finding
        else:
            yield from (replace(finding, names=(name,)) for name in finding.names)


def _key(finding: Finding) -> tuple[object, ...]:
    place = finding.diagnostic
    # Both say where an import or a call stands only up to the line.
    subject = finding.owner if not finding.names else finding.names
    return (place.file, place.line, finding.problem, subject)


def _engines(findings: Iterable[Finding]) -> set[str]:
    return {finding.engine for finding in findings}


def _detail(finding: Finding) -> tuple[int, int, str]:
    return (
        finding.owner.count("."),
        len(finding.ours) + len(finding.theirs) + len(finding.owner),
        finding.engine,
    )
