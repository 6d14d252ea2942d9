"""The report as JSON, as docs/json.md documents it: for programs, and stable."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Any

import msgspec

from syncbot.impact.facts.model import Change
from syncbot.impact.model import Fix, Impact
from syncbot.report import view
from syncbot.report.authors_words import quoted
from syncbot.report.catalogue import Words
from syncbot.report.evidence import Evidence
from syncbot.report.formats import Reports, renderer
from syncbot.report.model import SCHEMA, Report, ReportCommit
from syncbot.report.untrusted_text import json_text


@renderer("json")
def as_json(reports: Reports, words: Words) -> str:
    """The reports as JSON text in ASCII, as docs/json.md has it; several are a list below ``reports``."""
    documents = [document(report) for report in reports]
    whole = documents[0] if len(documents) == 1 else {"schema": SCHEMA, "reports": documents}
    return json_text(whole) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The report as plain dictionaries and lists."""
    return {
        "schema": report.schema,
        "upstream": {
            "name": report.upstream,
            "kind": report.kind,
            "from": report.old,
            "to": report.new,
            "from_name": report.old_name or None,
            "to_name": report.new_name or None,
            "web": report.web,
        },
        "engines": msgspec.to_builtins(report.engines),
        "unanalysed": [{"file": file, "reason": reason} for file, reason in report.unanalysed],
        "accepted": _accepted(report),
        "stale": list(report.acceptance.stale) if report.acceptance is not None else [],
        "baseline": _baseline(report),
        "run": msgspec.to_builtins(report.run),
        "is_backend": report.is_backend,
        "coverage": msgspec.to_builtins(report.coverage),
        "misfit": msgspec.to_builtins(report.misfit),
        "commits": [_commit(c, report.by_commit.get(c.sha, ())) for c in report.commits],
        "impacts": [_impact(impact, report.evidence.get(impact.id, Evidence())) for impact in report.impacts],
    }


def _impact(impact: Impact, known: Evidence) -> dict[str, Any]:
    return {
        **msgspec.to_builtins(impact),
        "fix": impact.fix and _fix(impact.fix),
        "our_lines": [{**msgspec.to_builtins(each.place), "text": each.text} for each in known.ours],
        "edit": known.edit,
    }


def _accepted(report: Report) -> list[dict[str, Any]]:
    found = report.acceptance.accepted if report.acceptance is not None else ()
    return [
        {
            "id": each.impact.id,
            "kind": each.impact.kind,
            "by": each.by,
            "reason": each.reason,
            "locations": msgspec.to_builtins(each.impact.locations),
        }
        for each in found
    ]


def _baseline(report: Report) -> dict[str, Any] | None:
    found = report.acceptance
    if found is None or found.known_by is None:
        return None
    gone = [
        {"id": each.id, "kind": each.kind, "symbol": each.symbol, "file": each.file} for each in found.gone
    ]
    return {"file": found.known_by, "known": len(view.known(report)), "gone": gone}


def _commit(commit: ReportCommit, impacts: Sequence[Impact]) -> dict[str, Any]:
    return {
        "sha": commit.sha,
        "release": commit.release or None,
        "pr": commit.pr,
        "date": commit.date.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "author": commit.author,
        "subject": commit.subject,
        "summary": quoted(commit.body),
        "level": commit.level,
        "level_for_us": view.level_for_us(impacts) if impacts else None,
        "types": list(commit.types),
        "files": list(commit.files),
        "added": commit.added,
        "removed": commit.removed,
        "lines": {
            kind: {"added": added, "removed": removed}
            for kind, (added, removed) in sorted(commit.lines.items())
        },
        "facts": None if commit.facts is None else [_fact(c) for c in commit.facts.changes],
        "mentions": [{"name": m.name, **msgspec.to_builtins(m.place)} for m in commit.mentions],
        "advice": msgspec.to_builtins(commit.advice),
    }


def _fact(change: Change) -> dict[str, Any]:
    return {
        **msgspec.to_builtins(change),
        "parts": [{"what": what, "name": name} for what, name in change.parts],
        "public": change.public,
        "breaking": change.breaking,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        **_rewrite(fix),
        "also": [_rewrite(further) for further in fix.also],
        "notes": list(fix.notes),
        "proven": fix.proven,
    }


def _rewrite(fix: Fix) -> dict[str, Any]:
    return {"rule": fix.rule, "arguments": dict(sorted(fix.arguments.items()))}
