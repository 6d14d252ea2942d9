"""Words the results of running the backend: of one impact, and of the whole run."""

from __future__ import annotations

from syncbot.impact.model import Impact
from syncbot.impact.runs import Evidenced, RunFailure
from syncbot.report.catalogue import Words
from syncbot.report.impact_words import reason
from syncbot.report.model import Report

_NAMES = 3


def ran(impact: Impact, words: Words) -> str:
    """How an impact is known that a run shows, and what fails there; empty for what reading alone tells."""
    if impact.evidence is Evidenced.READ or not impact.runs:
        return ""
    told = [] if impact.evidence is Evidenced.RAN else [_failure(impact.runs[0], words)]
    if more := len(impact.runs) - 1:
        told.append(words.count("more_failures", more))
    if names := tuple(dict.fromkeys(name for run in impact.runs for name in run.executes)):
        told.append(words("run_executes", names=_listed(names, words)))
    said = words("run_and").join(told)
    return f"{words(f'evidence_{impact.evidence}')}{words('run_colon') if told else ''}{said}"


def run_sentences(report: Report, words: Words) -> list[str]:
    """Return the results of the imports and tests on both ends, as one text; empty if nothing ran."""
    run = report.run
    if run is None:
        return []
    told = [
        words("run_ends", old=run.old, new=run.new),
        words.count("run_modules", run.modules, lost=run.modules_lost),
        words.count("run_tests", run.tests, compared=run.compared, lost=run.tests_lost)
        if run.files
        else words("run_no_tests"),
    ]
    if run.gone:
        told.append(words.count("run_gone", run.gone))
    if run.flaky:
        told.append(words.count("run_flaky", len(run.flaky), names=_listed(run.flaky, words)))
    if run.hanging:
        told.append(words.count("run_hanging", len(run.hanging), names=_listed(run.hanging, words)))
    if run.files_left:
        told.append(words.count("run_left", run.files_left, files=run.files))
    return [words("gap").join([*told, *(reason(note, words.language) for note in run.notes)])]


def _failure(run: RunFailure, words: Words) -> str:
    return words(f"run_{run.what}", name=run.name, error=run.error)


def _listed(names: tuple[str, ...], words: Words) -> str:
    shown = words("list_and").join(names[:_NAMES])
    left = len(names) - _NAMES
    return f"{shown} {words.count('more', left)}" if left > 0 else shown
