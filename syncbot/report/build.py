"""From an analysis to a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo

from syncbot.impact.analysis import Analysis
from syncbot.impact.importance import LineCount, classify, facts_of
from syncbot.impact.model import Impact
from syncbot.report.model import SCHEMA, Report, ReportCommit
from syncbot.upstream.model import Commit


def build(
    name: str,
    ends: tuple[str, str],
    analysis: Analysis,
    impacts: Sequence[Impact],
    lines: Mapping[str, Mapping[str, LineCount]] | None = None,
    web: str | None = None,
    zone: tzinfo | None = None,
) -> Report:
    """The report on an upstream of that name; ``ends`` are the range's ends in the user's words.

    ``lines`` are the counts of :func:`syncbot.impact.importance.line_counts` for the span: without them
    importance is judged by files alone. ``web`` is the page of the upstream's repository, for links;
    dates are given in ``zone``, else in the time zone of the environment.
    """
    return Report(
        schema=SCHEMA,
        upstream=name,
        old=analysis.span.old,
        new=analysis.span.new,
        commits=tuple(
            _commit(commit, None if lines is None else lines.get(commit.sha, {}), zone)
            for commit in analysis.span.commits
        ),
        impacts=tuple(impacts),
        unanalysed=analysis.unanalysed,
        old_name=ends[0],
        new_name=ends[1],
        web=web,
    )


def _commit(commit: Commit, lines: Mapping[str, LineCount] | None, zone: tzinfo | None) -> ReportCommit:
    facts = facts_of(commit, lines)
    level, types = classify(commit, facts)
    return ReportCommit(
        sha=commit.sha,
        pr=commit.pr,
        date=commit.date.astimezone(zone),
        author=commit.author,
        subject=commit.subject,
        level=level,
        types=types,
        files=tuple(sorted({p for f in commit.files for p in (f.old_path, f.new_path) if p})),
        body=commit.body,
        kinds={str(kind): facts.files[kind] for kind in sorted(facts.files)},
        added=facts.added,
        removed=facts.removed,
        deleted=tuple(f.old_path for f in commit.files if f.status == "D" and f.old_path),
        renamed=tuple(
            (f.old_path, f.new_path) for f in commit.files if f.status == "R" and f.old_path and f.new_path
        ),
    )
