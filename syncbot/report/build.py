"""From an analysis to a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo

from syncbot.impact.analysis import Analysis
from syncbot.impact.changed_files import LineCount, kind_of
from syncbot.impact.facts.model import Facts
from syncbot.impact.importance import classify, facts_of
from syncbot.impact.model import EngineState, Impact, by_commit
from syncbot.report.advice import Project, advise, mentions
from syncbot.report.model import SCHEMA, Report, ReportCommit
from syncbot.report.untrusted_text import web_address
from syncbot.upstream.model import Commit

_NO_PROJECT = Project()


def build(
    name: str,
    ends: tuple[str, str],
    analysis: Analysis,
    impacts: Sequence[Impact],
    lines: Mapping[str, Mapping[str, LineCount]] | None = None,
    web: str | None = None,
    zone: tzinfo | None = None,
    facts: Mapping[str, Facts] | None = None,
    project: Project = _NO_PROJECT,
    folder: str = "",
    engines: tuple[EngineState, ...] = (),
    releases: Mapping[str, str] | None = None,
) -> Report:
    """The report on an upstream. ``ends`` name the range for the reader; without ``lines`` importance is
    judged by files alone; ``zone`` is else the environment's; ``folder`` is the backend's below its
    repository; ``releases`` are the tags of commits that stand for releases, None where commits are
    followed."""
    guilty = by_commit(impacts)

    def commit(found: Commit) -> ReportCommit:
        counts = None if lines is None else lines.get(found.sha, {})
        known = facts.get(found.sha) if facts is not None else None
        made = _commit(found, counts, known, zone)
        return replace(
            made,
            advice=advise(found, guilty.get(found.sha, ()), project),
            mentions=mentions(known, project) if known is not None else (),
            release=(releases or {}).get(found.sha, "").removeprefix("v"),
        )

    return Report(
        schema=SCHEMA,
        upstream=name,
        old=analysis.span.old,
        new=analysis.span.new,
        commits=tuple(commit(found) for found in analysis.span.commits),
        impacts=tuple(impacts),
        engines=engines,
        unanalysed=analysis.unanalysed,
        coverage=analysis.coverage,
        misfit=analysis.misfit,
        old_name=ends[0],
        new_name=ends[1],
        web=web_address(web),
        folder=folder,
        kind="git" if releases is None else "release",
    )


def _commit(
    commit: Commit, lines: Mapping[str, LineCount] | None, known: Facts | None, zone: tzinfo | None
) -> ReportCommit:
    facts = facts_of(commit, lines, known.breaking() if known is not None else None)
    level, types = classify(commit, facts)
    return ReportCommit(
        sha=commit.sha,
        pr=commit.pr,
        date=commit.date.astimezone(zone),
        author=commit.author,
        subject=commit.subject,
        level=level,
        types=types,
        files=tuple(sorted(commit.paths)),
        body=commit.body,
        kinds={str(kind): facts.files[kind] for kind in sorted(facts.files)},
        added=facts.added,
        removed=facts.removed,
        lines=_by_kind(lines or {}),
        facts=known,
        deleted=tuple(f.old_path for f in commit.files if f.status == "D" and f.old_path),
        renamed=tuple(
            (f.old_path, f.new_path) for f in commit.files if f.status == "R" and f.old_path and f.new_path
        ),
    )


def _by_kind(lines: Mapping[str, LineCount]) -> dict[str, tuple[int, int]]:
    totals: dict[str, tuple[int, int]] = {}
    for path, count in lines.items():
        added, removed = totals.get(kind_of(path), (0, 0))
        totals[str(kind_of(path))] = (added + count.added, removed + count.removed)
    return totals
