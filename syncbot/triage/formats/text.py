"""A triage for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncbot.report.untrusted_text import one_line
from syncbot.triage import rendering
from syncbot.triage.diagnosis import Diagnosis, Guilty, Triage
from syncbot.triage.model import Failure
from syncbot.triage.verdicts import verdict

_REASONS = 3
_LONGEST = 240


def as_text(triage: Triage) -> str:
    """The verdict, then the causes with their suspected commits; what follows from them is counted."""
    lines = [one_line(rendering.headline(triage))]
    lines += [one_line(line) for line in (rendering.scope(triage), *triage.remarks) if line]
    lines += [note] if (note := rendering.left_out(triage)) else []
    for diagnosis, followers in rendering.with_followers(triage):
        lines += ["", *_diagnosis(triage, diagnosis, followers)]
    if strays := rendering.strays(triage):
        lines += ["", "follows from a failure that the logs do not have:", *map(_place, strays)]
    if triage.reading.unexplained:
        lines += ["", "failed, but the logs do not tell why:"]
        lines += [f"  {one_line(test.test)}" for test in triage.reading.unexplained]
    return "\n".join(lines) + "\n"


def _diagnosis(triage: Triage, diagnosis: Diagnosis, followers: Sequence[Failure]) -> Iterator[str]:
    failure = diagnosis.failure
    yield _cut(failure.text)
    where = rendering.circumstances(failure)
    yield f"  {one_line(failure.source)}:{failure.line}{': ' if where else ''}{one_line(where)}"
    # Of one cause alone the first line has the verdict.
    if len(triage.diagnoses) > 1:
        yield f"  {one_line(verdict(triage, diagnosis).line)}"
    if diagnosis.place is not None:
        yield f"  the plugin's line: {one_line(diagnosis.place.file)}:{diagnosis.place.line}"
    for number, guilty in enumerate(diagnosis.guilty, 1):
        yield from _guilty(number, guilty)
    if followers:
        yield f"  leads to {len(followers)} more:"
        yield from (f"  {_place(follower)}" for follower in followers)


def _guilty(number: int, guilty: Guilty) -> Iterator[str]:
    yield f"  {number}. {one_line(rendering.commit(guilty))}"
    for reason in guilty.reasons[: _REASONS if number == 1 else 1]:
        yield f"     {one_line(reason)}"
    if guilty.patch is not None:
        yield f"     patch: {one_line(guilty.patch)}"


def _place(failure: Failure) -> str:
    return f"  {one_line(failure.source)}:{failure.line}: {_cut(failure.text)}"


def _cut(text: str) -> str:
    shown = one_line(text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
