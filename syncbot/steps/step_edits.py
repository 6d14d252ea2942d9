"""The edits that belong to each step: a patch that applies to the result of the steps before."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from syncbot.impact.model import Impact, Verdict
from syncbot.impact.trees import Trees
from syncbot.patching.errors import CannotRewrite
from syncbot.planning.fixes import PlannedFixes, planned_fixes
from syncbot.steps.model import Step
from syncbot.version_gates.version_tests import Gate
from syncbot.version_gates.write_gates import gated

#: Makes of the text before and the rewritten one, and the path, what is to stand in the file.
Keeping = Callable[[str, str, str], str]


def rewritten(before: str, after: str, path: str) -> str:
    """The rewritten text alone."""
    return after


def keeping(gate: Gate, version: str) -> Keeping:
    """One text that is the old one on a version and the rewritten one elsewhere; a file in which no test can
    tell them apart stays as it is."""

    def both(before: str, after: str, path: str) -> str:
        try:
            return gated(before, after, gate, version, path)
        except CannotRewrite:
            return before

    return both


def with_edits(
    trees: Trees, steps: Sequence[Step], keep: Keeping, folder: Path, below: str
) -> tuple[list[Step], PlannedFixes]:
    """The steps with their edits, and what is planned for the whole range. Plans are kept in a folder for
    the next time; ``below`` stands before the paths of the backend's files."""
    sources = {file.path: file.text.decode("utf-8", "replace") for file in trees.backend.files}
    before: Mapping[str, str] = {}
    impacts: list[Impact] = []
    done: list[Step] = []
    planned = PlannedFixes()
    for step in steps:
        impacts += step.impacts
        if not any(impact.verdict is Verdict.BREAKS for impact in step.impacts):
            done.append(step)
            continue
        planned = planned_fixes(trees, steps[0].old, step.new, impacts, folder)
        after = {path: keep(sources[path], text, path) for path, text in planned.texts.items()}
        done.append(replace(step, diff="".join(_diffs(sources, before, after, below))))
        before = after
    return done, planned


def _diffs(
    sources: Mapping[str, str], before: Mapping[str, str], after: Mapping[str, str], below: str
) -> Iterator[str]:
    for path in sorted(before.keys() | after.keys()):
        was, now = (texts.get(path, sources[path]).splitlines(keepends=True) for texts in (before, after))
        for line in difflib.unified_diff(was, now, f"a/{below}{path}", f"b/{below}{path}"):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
