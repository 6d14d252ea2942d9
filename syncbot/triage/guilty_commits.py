"""From failures to the guilty upstream commits, or to another origin: environment, backend, unknown."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from syncbot.triage import nobody_blamed
from syncbot.triage.diagnosis import GUESS, LIKELY, Clue, Diagnosis, Guilty, Origin
from syncbot.triage.error_questions import questions
from syncbot.triage.kinds import understood
from syncbot.triage.log_paths import Place
from syncbot.triage.matching_impacts import matching
from syncbot.triage.model import Failure, Raised, Symptom
from syncbot.triage.nobody_blamed import Answer
from syncbot.triage.our_place import mend_of, our_place
from syncbot.triage.ranked_commits import ranked
from syncbot.triage.searched_range import SearchedRange
from syncbot.triage.tree_inquiry import Fact, Standing

# What a line of the innermost frame says that the range wrote.
_WROTE = 0.55


def diagnosed(case: SearchedRange, failure: Failure) -> Diagnosis:
    """Whose doing a failure is: its likely cause is tried first, the others where that leads nowhere."""
    best: Diagnosis | None = None
    for error in (failure.error, *(other for other in failure.chain if other is not failure.error)):
        found = _of_error(case, failure, error)
        if best is None or _strength(found) > max(_strength(best), GUESS):
            best = found
        if best.origin is Origin.ENVIRONMENT or _strength(best) >= LIKELY:
            break
    assert best is not None
    return best


def environmental(failure: Failure, known: Collection[str] = ()) -> Diagnosis:
    """The origin of a failure as far as its text shows it, without a range; ``known`` are the packages of
    upstream and plugin, so far as they are."""
    answer = nobody_blamed.by_text(failure)
    package = nobody_blamed.foreign_package(failure.symptom, failure.error, known) if known else ""
    if answer is None and package:
        answer = nobody_blamed.foreign(failure.symptom, package)
    return Diagnosis(failure, Origin.UNKNOWN) if answer is None else _nobodys(failure, answer)


def _strength(diagnosis: Diagnosis) -> float:
    return diagnosis.guilty[0].strength if diagnosis.guilty else 0.0


def _of_error(case: SearchedRange, failure: Failure, error: Raised) -> Diagnosis:
    symptom = understood(error)
    places = [case.with_statement(place) for place in case.map.placed(error.frames)]
    answer = _before_any_search(case, failure, symptom, error, places)
    if answer is not None:
        return _nobodys(failure, answer, symptom, places, case)
    facts = list(case.inquiry.facts(questions(case.inquiry, symptom, places))) if symptom is not None else []
    went = _suspects(case, _changed(facts, Standing.WENT, *([Standing.CHANGED] if case.is_reversed else [])))
    came = _suspects(case, _changed(facts, Standing.CAME, Standing.CHANGED))
    if went and (case.is_reversed or (went[0].strength >= LIKELY and not came)):
        return _too_old(case, failure, symptom, places, went, facts)
    if not case.is_reversed:
        guilty = _suspects(case, _clues(case, symptom, places, error, facts))
        if guilty:
            impacts = guilty[0].impacts
            place = our_place(case.trees.backend, symptom, places, impacts)
            mend = mend_of(place, impacts)
            return Diagnosis(failure, Origin.UPSTREAM, guilty, place, mend=mend)
    return _nobodys(failure, nobody_blamed.otherwise(case, symptom, places, facts), symptom, places, case)


def _before_any_search(
    case: SearchedRange, failure: Failure, symptom: Symptom | None, error: Raised, places: Sequence[Place]
) -> Answer | None:
    """The answer for what no question to the trees has to be asked about."""
    if (answer := nobody_blamed.by_text(failure)) is not None and error is failure.error:
        return answer
    if symptom is not None and (answer := nobody_blamed.hidden(case, symptom, error)) is not None:
        return answer
    known = {*case.trees.packages, *case.trees.backend.packages}
    package = nobody_blamed.foreign_package(symptom, error, known)
    # Upstream may have begun to use the package just there; what called it does not matter.
    if package and not any(clue.strength >= GUESS for clue in _written(case, places)):
        return nobody_blamed.foreign(symptom, package)
    return None


def _nobodys(
    failure: Failure,
    answer: Answer,
    symptom: Symptom | None = None,
    places: Sequence[Place] = (),
    case: SearchedRange | None = None,
) -> Diagnosis:
    place = our_place(case.trees.backend, symptom, places, ()) if case is not None else None
    return Diagnosis(failure, answer.origin, (), place, answer.note, answer.act, sure=answer.sure)


def _too_old(
    case: SearchedRange,
    failure: Failure,
    symptom: Symptom | None,
    places: Sequence[Place],
    brought: tuple[Guilty, ...],
    facts: Sequence[Fact],
) -> Diagnosis:
    """The upstream that ran lacks what the newer end has; the commit and the release that brought it."""
    place = our_place(case.trees.backend, symptom, places, ())
    first = brought[0].commit.sha
    fact = next(f for f in facts if f.commit is not None and f.commit.sha == first)
    note = f"{fact.question.about} {fact.before or 'does not exist'}"
    release = case.first_release(first)
    return Diagnosis(failure, Origin.TOO_OLD, brought, place, note, release=release)


def _changed(facts: Sequence[Fact], *standings: Standing) -> Iterator[Clue]:
    """Yield a clue against the commit of each fact that changed in one of these ways."""
    for fact in facts:
        if fact.commit is not None and fact.standing in standings:
            yield Clue(fact.commit.sha, fact.strength, fact.reason, "symbol")


def _clues(
    case: SearchedRange,
    symptom: Symptom | None,
    places: Sequence[Place],
    error: Raised,
    facts: Sequence[Fact],
) -> Iterator[Clue]:
    """Yield clues against commits of the range. Git is asked who wrote a line if no other clue is strong."""
    known = {*case.trees.packages, *case.trees.backend.packages}
    if nobody_blamed.foreign_package(symptom, error, known):
        yield from _written(case, places)
        return
    found = [*_changed(facts, Standing.CAME, Standing.CHANGED), *matching(case.impacts, symptom, places)]
    yield from found
    if not any(clue.strength >= LIKELY for clue in found):
        yield from _written(case, places)


def _written(case: SearchedRange, places: Sequence[Place]) -> Iterator[Clue]:
    """The commit of the range that wrote the line that failed, if that is upstream's and reads as it ran."""
    if not places or places[-1].ours or places[-1].statement is None:
        return
    path, line = places[-1].path, places[-1].statement.lineno
    sha = case.history.wrote(path, {line}).get(line)
    if sha is not None:
        yield Clue(sha, _WROTE, f"wrote {path}:{line}, the line that failed", "lines")


def _suspects(case: SearchedRange, clues: Iterator[Clue]) -> tuple[Guilty, ...]:
    """The commits that clues speak against, those left out whose guilt would be less than a guess."""
    return tuple(g for g in ranked(clues, case.commits, case.patches) if g.strength >= GUESS)
