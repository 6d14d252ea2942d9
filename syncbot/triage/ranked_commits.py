"""Clues added up for each commit: suspected commits, the strongest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from syncbot.impact.model import Impact
from syncbot.patching.model import Patch
from syncbot.triage.diagnosis import Clue, Guilty
from syncbot.upstream.model import Commit

_MOST = 5
# A suspicion so much weaker than the strongest one is not told.
_SHARE = 0.3


def ranked(
    clues: Iterable[Clue], commits: Mapping[str, Commit], patches: Sequence[Patch]
) -> tuple[Guilty, ...]:
    """The suspects, likeliest first. Clues add up as probabilities, the strongest of each source alone."""
    by_commit: dict[str, list[Clue]] = {}
    for clue in clues:
        if clue.commit in commits:
            by_commit.setdefault(clue.commit, []).append(clue)
    order = {sha: index for index, sha in enumerate(commits)}
    found = [_guilty(commits[sha], members, patches) for sha, members in by_commit.items()]
    found.sort(key=lambda guilty: (-guilty.strength, order[guilty.commit.sha]))
    least = found[0].strength * _SHARE if found else 0.0
    return tuple(guilty for guilty in found[:_MOST] if guilty.strength >= least)


def _guilty(commit: Commit, clues: Sequence[Clue], patches: Sequence[Patch]) -> Guilty:
    strongest: dict[str, float] = {}
    for clue in clues:
        strongest[clue.source] = max(strongest.get(clue.source, 0.0), clue.strength)
    doubt = 1.0
    for strength in strongest.values():
        doubt *= 1.0 - strength
    clues = sorted(clues, key=lambda clue: -clue.strength)
    impacts: dict[str, Impact] = {c.impact.id: c.impact for c in clues if c.impact is not None}
    fix = next((impact.fix for impact in impacts.values() if impact.fix is not None), None)
    reasons = tuple(dict.fromkeys(clue.reason for clue in clues))
    symbols = {impact.symbol for impact in impacts.values()}
    patch = next((p.id for p in patches if p.answers(commit, symbols)), None)
    return Guilty(commit, round(min(1.0 - doubt, 0.99), 2), reasons, tuple(impacts.values()), fix, patch)
