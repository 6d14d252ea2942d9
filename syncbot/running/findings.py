"""From what only the newer end fails to findings: joined to those of reading that tell the same, else new."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from syncbot.contracts.changes import ChangeKind
from syncbot.impact.analysis import impact_id, rank
from syncbot.impact.model import Impact, Location, Verdict
from syncbot.impact.runs import Evidenced, Ran, RunFailure
from syncbot.impact.statement_lines import Statements
from syncbot.running.failures import Lost, failure_in, last_line, own_lines, told
from syncbot.running.project_copy import Project
from syncbot.triage.diagnosis import GUESS, Diagnosis, Origin
from syncbot.triage.guilty_commits import diagnosed
from syncbot.triage.kinds import understood
from syncbot.triage.matching_impacts import is_about, names_symbol
from syncbot.triage.model import Raised, Symptom
from syncbot.triage.searched_range import SearchedRange

#: What running alone shows, as one of the engines.
ENGINE = "run"
_SHARE = 0.9
_ADDRESS = re.compile(r"0x[0-9a-f]+")
# An error in a text that a test shows, a newline being two characters there.
_QUOTED = re.compile(r"(?:\b|(?<=\\n))([A-Z]\w*(?:Error|Exception)): ((?:(?!\\n)[^\n])+)")


@dataclass(frozen=True, slots=True)
class _Read:
    """One failure, understood; it is ``judged`` where a test finds a result to be wrong, and no line of our
    sources is in the traceback."""

    run: RunFailure
    commit: str
    mates: tuple[str, ...]
    tests_only: bool
    verdict: Verdict
    judged: bool = False


def with_runs(
    case: SearchedRange, found: Sequence[Impact], lost: Sequence[Lost], project: Project
) -> tuple[Impact, ...]:
    """The findings of reading, those with what failed at a run that show there too, and further ones for what
    reading has none of. What ran breaks for certain."""
    statements = Statements(case.trees.backend)
    read = [_understood(case, found, each, project, statements) for each in lost]
    shown: dict[str, list[RunFailure]] = {}
    alone: dict[tuple[str, str, Location | None, str], list[_Read]] = {}
    for each in read:
        for mate in each.mates:
            shown.setdefault(mate, []).append(each.run)
        if not each.mates:
            error = _ADDRESS.sub("", each.run.error)
            # Where a test looks at a result says nothing of what made it.
            place = None if each.judged else each.run.place
            alone.setdefault((each.commit, each.run.what, place, error), []).append(each)
    alone_of = [_of_its_own(case, group) for group in alone.values()]
    joined = [_joined(i, tuple(shown[i.id])) if i.id in shown else i for i in found]
    return tuple(sorted([*joined, *alone_of], key=rank))


def _joined(impact: Impact, runs: tuple[RunFailure, ...]) -> Impact:
    return replace(
        impact,
        verdict=Verdict.BREAKS,
        runs=runs,
        evidence=Evidenced.BOTH,
        engines=tuple(sorted({*impact.engines, ENGINE})),
        confidence=max(impact.confidence, _SHARE),
    )


def _of_its_own(case: SearchedRange, group: Sequence[_Read]) -> Impact:
    """The finding of failures that are one: of the same error in the same line, or of tests that find the
    same result to be wrong."""
    first = group[0]
    run = first.run
    kind = ChangeKind.IMPORT_FAILS if run.what is Ran.MODULE else ChangeKind.TEST_FAILS
    what = "the module no longer imports" if run.what is Ran.MODULE else _fails(len(group))
    places = tuple(sorted({each.run.place for each in group if each.run.place is not None}))
    only = all(each.tests_only for each in group)
    return Impact(
        id=impact_id(first.commit, kind, run.name, _ADDRESS.sub("", run.error), only),
        commit=first.commit,
        pr=case.commits[first.commit].pr if first.commit in case.commits else None,
        symbol=run.name,
        kind=kind,
        verdict=first.verdict,
        locations=places or (Location(run.name, 1),),
        message=f"{run.name}: {what}: {run.error}",
        engines=(ENGINE,),
        confidence=_SHARE,
        tests_only=only,
        runs=tuple(each.run for each in group),
        evidence=Evidenced.RAN,
        no_fix="only a run shows it",
    )


def _fails(tests: int) -> str:
    return "the test fails" if tests == 1 else f"the test fails, and {tests - 1} more so"


def _understood(
    case: SearchedRange,
    found: Sequence[Impact],
    lost: Lost,
    project: Project,
    statements: Statements,
) -> _Read:
    seen = told(lost, project)
    if seen.failure is None:
        return _Read(seen.run, _guilty(case, None), (), False, Verdict.BREAKS)
    if seen.judged and (shown := _shown_elsewhere(found, lost, seen.run, project, statements)) is not None:
        return shown
    diagnosis = diagnosed(case, seen.failure)
    outside = diagnosis.origin is Origin.ENVIRONMENT
    return _Read(
        seen.run,
        _guilty(case, diagnosis),
        tuple(_mates(found, diagnosis, seen.own, statements)),
        seen.tests_only,
        Verdict.AT_RISK if outside else Verdict.BREAKS,
        seen.judged,
    )


def _shown_elsewhere(
    found: Sequence[Impact], lost: Lost, run: RunFailure, project: Project, statements: Statements
) -> _Read | None:
    """A test that finds a result to be wrong, by the findings of reading that another error shows: one which
    came through our lines and was caught before the test saw it, or which the result itself quotes, as the
    output of another process does. None where none is shown."""
    for text in lost.ending.caught:
        failure = failure_in(lost.name, text)
        own = own_lines(failure, project)
        symptom = understood(failure.error) if failure is not None else None
        if symptom is not None and own and (mates := tuple(_at(found, own, symptom, statements))):
            shown = replace(run, error=last_line(text), place=own[-1])
            return _Read(shown, "", mates, False, Verdict.BREAKS)
    for name, escaped in _QUOTED.findall(lost.ending.text):
        message = escaped.replace("\\'", "'")
        symptom = understood(Raised(name, message, ()))
        quoted = [i.id for i in found if symptom is not None and names_symbol(i, symptom)]
        if quoted:
            return _Read(replace(run, error=f"{name}: {message}"), "", tuple(quoted), False, Verdict.BREAKS)
    return None


def _mates(
    found: Sequence[Impact], diagnosis: Diagnosis, own: Sequence[Location], statements: Statements
) -> Iterator[str]:
    """The findings of reading that a failure shows: of a statement of ours in the traceback, if triage sees
    the same cause there, and what the error is about."""
    suspected = {i.id for guilty in diagnosis.guilty for i in guilty.impacts}
    symptom = diagnosis.failure.symptom or understood(diagnosis.failure.error)
    about = {*_at(found, own, symptom, statements)} if symptom is not None else set()
    there = {i.id for i in _there(found, own, statements)} & suspected
    yield from (i.id for i in found if i.id in about or i.id in there)


def _at(
    found: Sequence[Impact], own: Sequence[Location], symptom: Symptom, statements: Statements
) -> Iterator[str]:
    """The findings that are about an error: of statements of ours which it came through, and of methods of
    ours that upstream calls in a way which they do not take, which raises the error where it calls them."""
    there = {impact.id for impact in _there(found, own, statements) if is_about(impact, symptom)}
    for impact in found:
        if impact.id in there or (impact.contract == "override" and names_symbol(impact, symptom)):
            yield impact.id


def _there(found: Iterable[Impact], own: Sequence[Location], statements: Statements) -> Iterator[Impact]:
    """The findings of some statements of ours."""
    there = {(at.file, statements.start(at.file, at.line)) for at in own}
    for impact in found:
        if any((at.file, statements.start(at.file, at.line)) in there for at in impact.locations):
            yield impact


def _guilty(case: SearchedRange, diagnosis: Diagnosis | None) -> str:
    """The commit that triage names; where the range has one alone, that."""
    if diagnosis is not None and diagnosis.guilty and diagnosis.guilty[0].strength >= GUESS:
        return diagnosis.guilty[0].commit.sha
    return next(iter(case.commits)) if len(case.commits) == 1 else ""
