"""From an analysis to a report."""

from __future__ import annotations

from collections.abc import Sequence

from syncbot.impact.analysis import Analysis
from syncbot.impact.importance import classify
from syncbot.impact.model import Impact
from syncbot.report.model import SCHEMA, Report, ReportCommit
from syncbot.upstream.model import Commit


def build(name: str, ends: tuple[str, str], analysis: Analysis, impacts: Sequence[Impact]) -> Report:
    """The report on an upstream of that name; ``ends`` are the range's ends in the user's words."""
    return Report(
        schema=SCHEMA,
        upstream=name,
        old=analysis.span.old,
        new=analysis.span.new,
        commits=tuple(_commit(c) for c in analysis.span.commits),
        impacts=tuple(impacts),
        unanalysed=analysis.unanalysed,
        old_name=ends[0],
        new_name=ends[1],
    )


def _commit(commit: Commit) -> ReportCommit:
    level, types = classify(commit)
    files = sorted({p for f in commit.files for p in (f.old_path, f.new_path) if p})
    return ReportCommit(
        commit.sha, commit.pr, commit.date, commit.author, commit.subject, level, types, tuple(files)
    )
