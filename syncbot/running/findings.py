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
from syncbot.running.model import Ending
from syncbot.running.project_copy import Project
from syncbot.triage.diagnosis import GUESS, Diagnosis, Origin
from syncbot.triage.error_lines import ErrorLines
from syncbot.triage.folded_failures import causes, folded
from syncbot.triage.guilty_commits import diagnosed
from syncbot.triage.kinds import understood
from syncbot.triage.matching_impacts import is_about
from syncbot.triage.model import Failure, Frame, Raised
from syncbot.triage.process_streams import parsed
from syncbot.triage.searched_range import SearchedRange

#: What running alone shows, as one of the engines.
ENGINE = "run"
_SHARE = 0.9
_LONGEST = 300
_ADDRESS = re.compile(r"0x[0-9a-f]+")
# Where an end is installed: on each machine elsewhere.
_INSTALLED = re.compile(r"/\S*/(?:site-packages|running/overlays/[^/\s]+)/")
# What a test says of a result; what it does itself raises another error.
_VERDICTS_OF_TESTS = ("AssertionError", "Failed", "ExceptionGroup")


@dataclass(frozen=True, slots=True)
class Lost:
    """A module or test that works on the older end alone, how it ends on the newer, and the functions of
    upstream that were changed and that it executes on the older."""

    what: Ran
    name: str
    file: str
    ending: Ending
    executes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Read:
    """One failure, understood."""

    run: RunFailure
    commit: str
    mates: tuple[str, ...]
    tests_only: bool
    verdict: Verdict


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
            alone.setdefault((each.commit, each.run.what, each.run.place, error), []).append(each)
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
    """The finding of failures that are one: of the same error in the same line."""
    first = group[0]
    run = first.run
    kind = ChangeKind.IMPORT_FAILS if run.what is Ran.MODULE else ChangeKind.TEST_FAILS
    what = "the module no longer imports" if run.what is Ran.MODULE else "the test fails"
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


def _understood(
    case: SearchedRange,
    found: Sequence[Impact],
    lost: Lost,
    project: Project,
    statements: Statements,
) -> _Read:
    events = parsed(lost.name, [lost.ending.text.encode("utf-8", "replace")], ErrorLines())
    failure = next(iter(causes(folded(events))), None)
    own = _own_places((frame for raised in _chain(failure) for frame in raised.frames), project)
    deepest = _own_places(failure.error.frames, project) if failure is not None else []
    run = RunFailure(
        lost.what,
        lost.name,
        _last_line(lost.ending.text),
        next(reversed(deepest or own), None) or _beginning(lost, project),
        lost.executes,
    )
    if failure is None:
        return _Read(run, _guilty(case, None), (), False, Verdict.BREAKS)
    diagnosis = diagnosed(case, failure)
    outside = diagnosis.origin is Origin.ENVIRONMENT
    return _Read(
        run,
        _guilty(case, diagnosis),
        tuple(_mates(found, diagnosis, own, statements)),
        lost.what is Ran.TEST and _concerns_tests(own, failure, project),
        Verdict.AT_RISK if outside else Verdict.BREAKS,
    )


def _concerns_tests(own: Sequence[Location], failure: Failure, project: Project) -> bool:
    """Whether a test fails by what it does itself: no line of our sources is in the traceback, and it judges
    no result of theirs."""
    tests = {file.path for file in project.backend.files if file.is_test}
    sources = [at for at in own if not _is_test(at.file, tests)]
    return not sources and failure.error.name not in _VERDICTS_OF_TESTS


def _beginning(lost: Lost, project: Project) -> Location | None:
    """The first line of what failed without a line of ours in the traceback."""
    inside = project.ours(lost.file)
    return Location(inside, 1) if inside is not None else None


def _is_test(path: str, tests: set[str]) -> bool:
    name = path.rpartition("/")[2]
    return path in tests or name.startswith(("test_", "conftest.")) or name.endswith("_test.py")


def _mates(
    found: Iterable[Impact], diagnosis: Diagnosis, own: Sequence[Location], statements: Statements
) -> Iterator[str]:
    """The findings of reading that a failure shows: of a statement of ours in the traceback, if triage sees
    the same cause there, and what the error is about."""
    there = {(at.file, statements.start(at.file, at.line)) for at in own}
    suspected = {i.id for guilty in diagnosis.guilty for i in guilty.impacts}
    symptom = diagnosis.failure.symptom or understood(diagnosis.failure.error)
    for impact in found:
        here = any((at.file, statements.start(at.file, at.line)) in there for at in impact.locations)
        about = symptom is not None and is_about(impact, symptom)
        if here and (about or impact.id in suspected):
            yield impact.id


def _guilty(case: SearchedRange, diagnosis: Diagnosis | None) -> str:
    """The commit that triage names; where the range has one alone, that."""
    if diagnosis is not None and diagnosis.guilty and diagnosis.guilty[0].strength >= GUESS:
        return diagnosis.guilty[0].commit.sha
    return next(iter(case.commits)) if len(case.commits) == 1 else ""


def _own_places(frames: Iterable[Frame], project: Project) -> list[Location]:
    """The frames that are ours, outermost first."""
    paths = ((project.ours(frame.path), frame.line) for frame in frames)
    return [Location(path, line) for path, line in paths if path is not None]


def _chain(failure: Failure | None) -> tuple[Raised, ...]:
    return (*failure.chain, failure.error) if failure is not None else ()


def _last_line(text: str) -> str:
    """The line that says what was raised: what comes after the last frame."""
    lines = [line for line in text.splitlines() if line.strip()]
    pairs = zip(["", *lines], lines, strict=False)
    raised = [line for before, line in pairs if before.startswith(" ") and line[:1].strip()]
    found = _INSTALLED.sub("", (raised or lines or ["no message"])[-1])
    return found if len(found) <= _LONGEST else f"{found[:_LONGEST]}…"
