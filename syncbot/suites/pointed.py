"""Which upstream change a group of differences comes from, and which finding of reading told it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.patching.proposals import propose
from syncbot.patching.registry import Rule
from syncbot.suites.differences import Group
from syncbot.triage.diagnosis import Diagnosis, Triage
from syncbot.triage.verdicts import commit_name

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Pointed:
    """The upstream change that a group leads to, in words, empty where none is known, and what reading found
    of it, a line each, none where no finding told this; ``rewrites`` are those that follow it."""

    change: str = ""
    findings: tuple[str, ...] = ()
    rewrites: tuple[Rule, ...] = ()


def logs(groups: Sequence[Group], folder: Path) -> dict[str, Group]:
    """Write a log for each group that has a traceback; the groups by the names of their files."""
    found = {}
    for number, group in enumerate(groups):
        if group.cause.type and group.cause.text:
            file = folder / f"{number}.log"
            file.write_text(group.cause.text, encoding="utf-8", errors="replace")
            found[str(file)] = group
    return found


def pointed(logged: Mapping[str, Group], triage: Triage) -> dict[tuple[str, str], Pointed]:
    """Return where groups lead, by message and place. What is equal in several logs was looked at once."""
    by_log = {diagnosis.failure.source: diagnosis for diagnosis in triage.diagnoses}
    by_text = {diagnosis.failure.text: diagnosis for diagnosis in reversed(triage.diagnoses)}
    found = {}
    for file, group in logged.items():
        cause = group.cause
        text = ": ".join(part for part in (cause.type, cause.message) if part)
        diagnosis = by_log.get(file) or by_text.get(text)
        if diagnosis is not None and diagnosis.guilty:
            found[group.message, group.where] = _of(triage, diagnosis)
    return found


def _of(triage: Triage, diagnosis: Diagnosis) -> Pointed:
    first = diagnosis.guilty[0]
    reason = " ".join(next(iter(first.reasons), "").split())[:_LONGEST]
    change = ": ".join(part for part in (commit_name(triage, first), reason) if part)
    findings = (
        f"{each.id} {each.kind.value} {each.symbol}: {' '.join(each.message.split())[:_LONGEST]}"
        for each in first.impacts
    )
    rewrites = (propose(each) for each in first.impacts)
    return Pointed(change, tuple(findings), tuple(rule for rule in rewrites if rule is not None))
