"""A search from its question to its answer: suspicions, runs, and what they prove."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from syncbot.bisect.commit_line import Line
from syncbot.bisect.search import NoSwitch, Outcome, Switch, Verdict, all_switches, first_bad, halving_runs
from syncbot.bisect.state import Run, State
from syncbot.bisect.suspects import Suspicion
from syncbot.bisect.trial import Trial
from syncbot.errors import UsageError
from syncbot.impact.model import Impact
from syncbot.upstream.model import Commit

# A suspicion from which on a commit is run even where nothing shows a change (`--all`).
_SUSPECT = 0.1


@dataclass(frozen=True, slots=True)
class Answer:
    """A change of outcome. One of ``commits`` made it; ``merged`` is what a merge brought. ``before`` and
    ``after`` are the runs that prove it, ``before`` None for a good end taken on trust."""

    commits: tuple[Commit, ...]
    merged: tuple[Commit, ...]
    parent: str
    before: Run | None
    after: Run | None
    mends: bool
    impacts: tuple[Impact, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The answers about a line, oldest first, and all runs, of which ``known`` were made before. ``met`` of
    ``count`` commits change what a contract rests on; plain halving needs ``halving`` runs; ``monotone`` is
    false if good followed bad."""

    line: Line
    answers: tuple[Answer, ...]
    runs: tuple[Run, ...]
    known: int
    count: int
    met: int
    halving: int
    monotone: bool


def search(
    line: Line,
    found: Sequence[Suspicion],
    trial: Trial,
    state: State,
    every: bool,
    tell: Callable[[Run], None],
) -> Result:
    """Find the first bad commit, or ``every`` change; ``tell`` hears of runs. Raises UsageError."""

    def probe(position: int) -> Outcome:
        commit = line.sha(position)
        run = state.of(commit)
        if run is None:
            run = trial.of(commit)
            state.add(run)
            tell(run)
        return run.outcome

    weights = [suspicion.weight for suspicion in found]
    try:
        if every:
            order = sorted(range(len(found)), key=lambda i: -weights[i])
            switches = all_switches(weights, probe, [i for i in order if weights[i] >= _SUSPECT])
        else:
            switches = [first_bad(weights, probe)]
    except NoSwitch as error:
        raise _explained(error, line, state) from error
    answers = tuple(_answer(switch, line, found, state) for switch in switches)
    return Result(
        line=line,
        answers=answers,
        runs=state.runs,
        known=state.before,
        count=len(weights),
        met=sum(suspicion.met or bool(suspicion.impacts) for suspicion in found),
        halving=sum(halving_runs(len(weights), switch.last) for switch in switches if switch.breaks),
        monotone=_monotone(line, state),
    )


def _monotone(line: Line, state: State) -> bool:
    runs = (state.of(line.sha(position)) for position in range(-1, len(line.commits)))
    verdicts = [run.verdict for run in runs if run is not None and run.verdict is not Verdict.SKIP]
    return sorted(verdicts, key=[Verdict.GOOD, Verdict.BAD].index) == verdicts


def _answer(switch: Switch, line: Line, found: Sequence[Suspicion], state: State) -> Answer:
    single = len(switch.candidates) == 1
    return Answer(
        commits=tuple(line.commits[i] for i in switch.candidates),
        merged=line.brought[switch.last][1:] if single else (),
        parent=line.sha(switch.before),
        before=_decided(state, line.sha(switch.before)),
        after=_decided(state, line.sha(switch.last)),
        mends=switch.new.verdict is Verdict.GOOD,
        impacts=tuple(impact for i in switch.candidates for impact in found[i].impacts),
    )


def _decided(state: State, commit: str) -> Run | None:
    run = state.of(commit)
    return run if run is not None and run.verdict is not Verdict.SKIP else None


def _explained(error: NoSwitch, line: Line, state: State) -> UsageError:
    run = state.of(line.sha(error.position))
    said = f" ({run.said}; log: {run.log})" if run is not None and run.said else ""
    commit = line.name(line.sha(error.position))
    end = "--from" if error.position < 0 else "--to"
    if error.outcome.verdict is Verdict.SKIP:
        return UsageError(f"{end} {commit} has to be skipped{said}: name an end that can be tested")
    if error.position < 0:
        return UsageError(f"--from {commit} is already bad{said}: name an older commit that is good")
    return UsageError(f"--to {commit} is good: name a commit at which the command fails")
