"""The report as JSON, as docs/json.md documents it: for programs, and stable."""

from __future__ import annotations

import json
from typing import Any

from syncbot.impact.model import Impact
from syncbot.report.formats import renderer
from syncbot.report.model import Report, ReportCommit


@renderer("json")
def as_json(report: Report, language: str) -> str:
    """The report as JSON text with sorted keys inside each object left in documented order."""
    return json.dumps(document(report), indent=1, ensure_ascii=False) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The report as plain dictionaries and lists."""
    return {
        "schema": report.schema,
        "upstream": {"name": report.upstream, "from": report.old, "to": report.new},
        "commits": [_commit(c) for c in report.commits],
        "impacts": [_impact(i) for i in report.impacts],
        "unanalysed": [{"file": file, "reason": reason} for file, reason in report.unanalysed],
    }


def _commit(commit: ReportCommit) -> dict[str, Any]:
    return {
        "sha": commit.sha,
        "pr": commit.pr,
        "date": commit.date.isoformat(),
        "author": commit.author,
        "subject": commit.subject,
        "level": commit.level,
        "types": list(commit.types),
        "files": list(commit.files),
    }


def _impact(impact: Impact) -> dict[str, Any]:
    fix = impact.fix
    return {
        "id": impact.id,
        "commit": impact.commit,
        "pr": impact.pr,
        "symbol": impact.symbol,
        "kind": impact.kind,
        "verdict": impact.verdict.value,
        "locations": [{"file": p.file, "line": p.line, "column": p.column} for p in impact.locations],
        "message": impact.message,
        "fix": None if fix is None else {"rule": fix.rule, "arguments": dict(fix.arguments)},
        "engines": list(impact.engines),
        "confidence": impact.confidence,
        "tests_only": impact.tests_only,
    }
