"""Witnesses of many impacts at once: made, run on both sides of a range, judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from syncbot.impact.model import Impact, Outcome, Testimony, Verdict
from syncbot.impact.trees import Trees
from syncbot.upstream.model import Meter, no_meter, step
from syncbot.witness.exported_tree import exported
from syncbot.witness.findings import programs
from syncbot.witness.model import Ending, Program, judged
from syncbot.witness.run import endings


@dataclass(frozen=True, slots=True)
class Side:
    """One end of a range: a commit of upstream, and an interpreter with what its modules import. ``prepare``
    is Python text that runs first."""

    commit: str
    python: Path
    prepare: str = ""


def shown_on(
    trees: Trees, sides: tuple[Side, Side], impacts: Sequence[Impact], cache: Path, meter: Meter = no_meter
) -> Mapping[str, Testimony]:
    """Return the testimony about each impact, by its id. Upstream is imported, in processes of their own.
    Raises EnvironmentFailure."""
    made: dict[str, Program] = {}
    found: dict[str, Testimony] = {}
    for impact, program in programs(trees, sides[0].commit, sides[1].commit, impacts):
        if isinstance(program, Program):
            made[impact.id] = program
        else:
            found[impact.id] = Testimony(Outcome.NOT_WITNESSABLE, program)
    if made:
        before, after = (_run(trees, side, made, cache, meter) for side in sides)
        for name, program in made.items():
            outcome, why = judged(program, before[name], after[name])
            seconds = round(before[name].seconds + after[name].seconds, 2)
            found[name] = Testimony(outcome, why, program.text, seconds)
    return found


def _run(
    trees: Trees, side: Side, made: Mapping[str, Program], cache: Path, meter: Meter
) -> Mapping[str, Ending]:
    log = cache / "logs" / f"witness-{side.commit[:12]}.log"
    with step(meter, f"witnesses on {side.commit[:10]}"):
        return endings(made, side.python, side.prepare, exported(trees, side.commit, cache, meter), log)


def with_testimonies(impacts: Iterable[Impact], found: Mapping[str, Testimony]) -> list[Impact]:
    """The impacts with their testimonies; one that is contradicted is at risk at most."""
    told = []
    for impact in impacts:
        testimony = found.get(impact.id)
        if testimony is not None and testimony.outcome is Outcome.CONTRADICTED:
            verdict = Verdict.AT_RISK if impact.verdict is Verdict.BREAKS else impact.verdict
            impact = replace(impact, verdict=verdict)
        told.append(replace(impact, testimony=testimony))
    return told
