"""The first line: of facts at both ends what they say of an error, and of diagnoses the most telling one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from syncbot.impact.model import Fix, Location
from syncbot.triage.diagnosis import Certainty, Diagnosis, Guilty, Origin, Triage
from syncbot.triage.folded_failures import Reading
from syncbot.triage.formats import FORMATS
from syncbot.triage.model import Failure, Raised
from syncbot.triage.tree_inquiry import Fact, Question, Standing
from syncbot.triage.verdicts import Answer, overall, verdict
from syncbot.upstream.model import Commit

FAILURE = Failure(Raised("ValueError", "x"), None, 1, "run.log", 1)
COMMIT = Commit(
    "abcdef0123456789", (), datetime(2026, 1, 2, tzinfo=UTC), "Ada", "Drop strict (#11)", "", 11, ()
)
PLACE = Location("plugin/a.py", 7)


@pytest.mark.parametrize(
    ("before", "after", "standing"),
    [
        ("fine", "broken", Standing.CAME),
        ("broken", "fine", Standing.WENT),
        ("broken", "broken in another way", Standing.STAYS),
        ("fine", "fine", Standing.NEVER),
        (None, "broken", Standing.CAME),
        ("broken", None, Standing.WENT),
        (None, "fine", Standing.UNKNOWN),
        (None, None, Standing.UNKNOWN),
    ],
)
def test_only_what_differs_between_the_ends_speaks_for_a_commit(
    before: str | None, after: str | None, standing: Standing
) -> None:
    question = Question("it", lambda view: None, 0.8, ("fine",))
    fact = Fact(question, before, after)
    assert fact.standing is standing
    assert fact.strength == (0.8 if before and after else 0.4)
    unjudged = Fact(replace(question, innocent=()), before, after)
    assert unjudged.standing in (Standing.CHANGED, Standing.ALIKE, Standing.UNKNOWN)


def triage(*diagnoses: Diagnosis, **more: object) -> Triage:
    reading = Reading(tuple(d.failure for d in diagnoses), ())
    return replace(Triage(reading, diagnoses, "engine", "v1", "v2", 3), **more)  # type: ignore[arg-type]


def guilty(strength: float) -> Guilty:
    return Guilty(COMMIT, strength, ("clean() no longer takes strict",))


@pytest.mark.parametrize(("strength", "words"), [(0.95, "Sure."), (0.7, "Likely."), (0.45, "A guess.")])
def test_who_broke_what_and_what_to_do(strength: float, words: str) -> None:
    found = Diagnosis(FAILURE, Origin.UPSTREAM, (guilty(strength),), PLACE)
    line = verdict(triage(found), found).line
    assert line == (
        "UPSTREAM: engine#11 (abcdef0123, 2026-01-02) broke plugin/a.py:7: clean() no longer takes strict. "
        f"{words} Next: adapt plugin/a.py:7 to what it changed, which syncbot explain 11 shows"
    )
    mended = replace(found, mend=Fix("call_argument_removed", {}))
    assert verdict(triage(mended), mended).act == (
        "run syncbot migrate, it rewrites plugin/a.py:7 by call_argument_removed"
    )


def test_where_only_releases_are_known_the_form_for_git_is_said() -> None:
    found = Diagnosis(FAILURE, Origin.UPSTREAM, (guilty(0.9),), PLACE)
    told = verdict(triage(found, kind="release", old="1.0", new="2.0"), found)
    assert told.told.startswith("Drop strict (#11) (2026-01-02) broke")
    assert (
        "only releases can be named here: --upstream URL_OF_ITS_GIT_REPOSITORY --from v1.0 --to v2.0"
        in told.act
    )


def test_too_old_says_since_when_and_what_to_install() -> None:
    found = Diagnosis(
        FAILURE, Origin.TOO_OLD, (guilty(0.9),), PLACE, "engine.new does not exist", release="v1.5"
    )
    told = verdict(triage(found), found)
    assert told.line == (
        "TOO OLD: the engine that ran (v1) is older than the plugin needs: engine.new does not exist; that came "
        "with engine#11 (abcdef0123, 2026-01-02), first in v1.5. Sure. Next: install engine 1.5 or later"
    )
    without = replace(found, release=None)
    assert "install engine as of 2026-01-02 or later" in verdict(triage(without), without).act


def test_the_most_telling_cause_is_first_in_every_format() -> None:
    unknown = Diagnosis(FAILURE, Origin.UNKNOWN, note="nothing explains it", act="read it")
    disk = Diagnosis(FAILURE, Origin.ENVIRONMENT, note="the disk is full", act="make room", sure=True)
    guess, sure = (Diagnosis(FAILURE, Origin.UPSTREAM, (guilty(s),)) for s in (0.45, 0.9))
    assert overall(triage(unknown, disk)).answer is Answer.NOT_UPSTREAM
    assert overall(triage(disk, guess, sure)).certainty is Certainty.SURE
    found = triage(unknown, disk, guess, sure)
    line = overall(found).line
    assert FORMATS["text"](found).splitlines()[0] == line
    assert all(
        line.partition(" (")[0] in render(found)
        for render in FORMATS.values()
        if render is not FORMATS["markdown"]
    )
    assert FORMATS["markdown"](found).startswith("# UPSTREAM: engine")


def test_without_failures_it_says_so() -> None:
    assert overall(Triage(Reading((), ()), ())).line == "no failures found"
