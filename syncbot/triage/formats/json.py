"""A triage as JSON, as docs/triage.md documents it: for programs, and stable."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from syncbot.report.untrusted_text import json_text
from syncbot.triage import rendering
from syncbot.triage.diagnosis import Diagnosis, Guilty, Triage
from syncbot.triage.model import Failure, Raised
from syncbot.triage.verdicts import Verdict, overall, verdict

SCHEMA = 1


def as_json(triage: Triage) -> str:
    """The triage as JSON text in ASCII, keys in the order of docs/triage.md."""
    return json_text(document(triage)) + "\n"


def document(triage: Triage) -> dict[str, Any]:
    """The triage as plain dictionaries and lists."""
    span = {
        "upstream": triage.upstream,
        "from": triage.old,
        "to": triage.new,
        "commits": triage.commits,
        "reversed": triage.is_reversed,
    }
    return {
        "schema": SCHEMA,
        "verdict": _verdict(overall(triage)),
        "range": span if triage.new else None,
        "remarks": list(triage.remarks),
        "causes": [_diagnosis(triage, *each) for each in rendering.with_followers(triage)],
        "strays": [_failure(failure) for failure in rendering.strays(triage)],
        "unexplained": [
            {"test": test.test, "log": test.source, "line": test.line} for test in triage.reading.unexplained
        ],
        "left_out": triage.reading.left_out,
        "error_lines": triage.reading.error_lines,
    }


def _verdict(told: Verdict) -> dict[str, Any]:
    return {
        "answer": told.answer.value,
        "certainty": None if told.certainty is None else told.certainty.value,
        "told": told.told,
        "next_step": told.act,
        "line": told.line,
    }


def _diagnosis(triage: Triage, diagnosis: Diagnosis, followers: Sequence[Failure]) -> dict[str, Any]:
    place = diagnosis.place
    told = verdict(triage, diagnosis)
    return {
        **_failure(diagnosis.failure),
        "origin": diagnosis.origin.value,
        "note": diagnosis.note,
        "place": None if place is None else {"file": place.file, "line": place.line},
        "next_step": told.act,
        "verdict": _verdict(told),
        "mend": None if diagnosis.mend is None else diagnosis.mend.rule,
        "release": diagnosis.release,
        "guilty": [_guilty(guilty) for guilty in diagnosis.guilty],
        "followers": [_failure(failure) for failure in followers],
    }


def _failure(failure: Failure) -> dict[str, Any]:
    symptom = failure.symptom
    return {
        "type": failure.error.type,
        "message": failure.error.message,
        "kind": None if symptom is None else symptom.kind,
        "subject": "" if symptom is None else symptom.subject,
        "names": [] if symptom is None else list(symptom.names),
        "count": failure.count,
        "log": failure.source,
        "line": failure.line,
        "processes": list(failure.processes),
        "tests": list(failure.tests),
        "frames": _frames(failure.error),
    }


def _frames(error: Raised) -> list[dict[str, Any]]:
    return [{"file": f.path, "line": f.line, "function": f.function, "code": f.code} for f in error.frames]


def _guilty(guilty: Guilty) -> dict[str, Any]:
    commit, fix = guilty.commit, guilty.fix
    return {
        "commit": commit.sha,
        "pr": commit.pr,
        "subject": commit.subject,
        "author": commit.author,
        "date": commit.date.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "strength": guilty.strength,
        "reasons": list(guilty.reasons),
        "impacts": [impact.id for impact in guilty.impacts],
        "fix": None if fix is None else {"rule": fix.rule, "arguments": dict(sorted(fix.arguments.items()))},
        "patch": guilty.patch,
    }
