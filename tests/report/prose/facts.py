"""A commit with facts of several kinds."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from syncbot.impact.facts.model import Change, Facts
from syncbot.report.model import SCHEMA, Report, ReportCommit

CHANGES = (
    Change("function-removed", "engine.text.split_words", "engine/text.py", users=("engine.user",)),
    Change("class-added", "engine.text.TextCleaner", "engine/text.py"),
    Change(
        "signature",
        "engine.text.clean",
        "engine/text.py",
        "clean(text, strict=False)",
        "clean(text, *, lower=True)",
        (("removed", "strict"), ("optional", "lower")),
    ),
    Change("environment-changed", "ENGINE_SIZE", "engine/envs.py", "'16'", "'32'"),
    Change("symbol-moved", "engine.new.Helper", "engine/new.py", "engine.old.Helper", "engine.new.Helper"),
)


def commit(
    sha: str = "a" * 40, level: str = "medium", *, subject: str = "Clean up", body: str = ""
) -> ReportCommit:
    return ReportCommit(
        sha=sha,
        pr=7,
        date=datetime(2026, 1, 23, tzinfo=UTC),
        author="Ada",
        subject=subject,
        level=level,
        types=("refactor",),
        files=("engine/text.py",),
        body=body,
        facts=Facts(CHANGES),
    )


def report(*commits: ReportCommit) -> Report:
    return Report(SCHEMA, "engine", "0" * 40, "f" * 40, commits or (commit(),), ())


def changed(*changes: Change) -> ReportCommit:
    return replace(commit(), facts=Facts(changes))


def without_facts(made: ReportCommit) -> ReportCommit:
    return replace(made, facts=Facts())
