"""A triage as the summary of failed tests that a public upgrade flow reads: docs/triage.md."""

from __future__ import annotations

from typing import Any

from syncbot.report.untrusted_text import json_text
from syncbot.triage.diagnosis import Diagnosis, Guilty, Origin, Triage
from syncbot.triage.verdicts import overall, verdict

_BUG, _FLAKE = "Code Bug", "Environment Flake"
# What no change of code mends.
_NO_BUGS = (Origin.ENVIRONMENT, Origin.TOO_OLD)


def as_flow(triage: Triage) -> str:
    """The causes, divided into code bugs and faults of the environment, as JSON text in ASCII."""
    reading = triage.reading
    errors = [_error(triage, diagnosis) for diagnosis in triage.diagnoses]
    cases = sorted({t for f in reading.failures for t in f.tests} | {t.test for t in reading.unexplained})
    files = sorted({_file(case) for case in cases})
    bugs = [error for error in errors if error["category"] == _BUG]
    flakes = [error for error in errors if error["category"] == _FLAKE]
    summary = {
        "verdict": overall(triage).line,
        "failed_test_files": files,
        "failed_test_cases": cases,
        "failed_test_files_count": len(files),
        "failed_test_cases_count": len(cases),
        "code_bugs": bugs,
        "env_flakes": flakes,
        "code_bugs_count": len(bugs),
        "env_flakes_count": len(flakes),
    }
    return json_text(summary) + "\n"


def _error(triage: Triage, diagnosis: Diagnosis) -> dict[str, Any]:
    failure, place = diagnosis.failure, diagnosis.place
    told = verdict(triage, diagnosis)
    return {
        "error_type": failure.error.type,
        "error_message": failure.error.message,
        "error": failure.text,
        "category": _FLAKE if diagnosis.origin in _NO_BUGS else _BUG,
        "context": [f"{f.path}:{f.line} {f.function}".rstrip() for f in failure.error.frames],
        "failed_test_files": sorted({_file(test) for test in failure.tests}),
        "failed_test_cases": list(failure.tests),
        "place": None if place is None else f"{place.file}:{place.line}",
        "guilty_pull_requests": [_guilty(guilty) for guilty in diagnosis.guilty],
        "verdict": told.line,
        "next_step": told.act,
    }


def _guilty(guilty: Guilty) -> dict[str, Any]:
    commit = guilty.commit
    return {
        "pr": commit.pr,
        "commit": commit.sha,
        "subject": commit.subject,
        "reason": next(iter(guilty.reasons), ""),
    }


def _file(test: str) -> str:
    return test.partition("::")[0]
