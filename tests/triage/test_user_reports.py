"""Reports of plugins' users in public trackers: the error lines, and the answers where there are any.

Reports that upstream's change explains are held against upstream itself by ``benchmarks/user_reports.py``. Here
the names of packages are those of the small world, whose commits nobody is to blame for the others.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from syncbot.triage.diagnosis import Origin
from syncbot.triage.folded_failures import causes
from syncbot.triage.guilty_commits import diagnosed, environmental
from syncbot.triage.model import Failure
from syncbot.triage.read_logs import read
from syncbot.triage.searched_range import SearchedRange

from .test_corpus import case  # noqa: F401 (a fixture)

REPORTS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "user_reports.json").read_text("utf-8"))
OTHERS = [each for each in REPORTS if each["fault"] != "upstream"]
#: What the small world does not have, as ``__version__``, only upstream itself can answer.
SMALL = [each for each in OTHERS if "real" not in each]
#: Words of the next step, by what was at fault.
STEPS = {
    "shadow": "folder",
    "library": "missing or of another version",
    "torch": "version",
}


def failure(report: dict[str, Any], folder: Path) -> Failure:
    """The one failure that a report tells, of the small world's packages."""
    log = folder / "report.log"
    text = report["log"].replace("vllm_ascend", "plugin").replace("vllm", "engine")
    log.write_text(text + "\n", encoding="utf-8")
    (cause,) = causes(read([str(log)]))
    return cause


def test_there_are_reports_of_both_sides() -> None:
    assert len(REPORTS) >= 25
    assert len(OTHERS) * 3 >= len(REPORTS)
    assert len({each["url"] for each in REPORTS}) == len(REPORTS)


@pytest.mark.parametrize("report", SMALL, ids=lambda each: each["url"].partition("com/")[2])
def test_nobody_is_blamed_and_the_next_step_is_said(
    case: SearchedRange,  # noqa: F811
    report: dict[str, Any],
    tmp_path: Path,
) -> None:
    found = diagnosed(case, failure(report, tmp_path))
    assert (found.origin, found.guilty) == (Origin.ENVIRONMENT, ())
    assert STEPS[report["fault"]] in found.note
    assert found.act
    assert "\n" not in found.note + found.act


@pytest.mark.parametrize(
    "report", [each for each in OTHERS if each["fault"] == "library"], ids=lambda each: each["url"]
)
def test_a_missing_library_is_known_without_a_range(report: dict[str, Any], tmp_path: Path) -> None:
    assert environmental(failure(report, tmp_path)).origin is Origin.ENVIRONMENT


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("AttributeError: module 'engine.encoder' has no attribute 'Encoder'", Origin.ENVIRONMENT),
        (
            "ImportError: cannot import name 'Encoder' from 'engine.encoder' (/a/engine.py)",
            Origin.ENVIRONMENT,
        ),
        (
            "ImportError: cannot import name 'Encoder' from partially initialized module 'engine.encoder'",
            None,
        ),
        ("ImportError: cannot import name 'never' from 'engine.encoder' (/a/encoder.py)", None),
    ],
)
def test_what_both_ends_have_and_the_run_lacked_is_of_another_copy(
    case: SearchedRange,  # noqa: F811
    text: str,
    origin: Origin | None,
    tmp_path: Path,
) -> None:
    found = diagnosed(case, failure({"log": text}, tmp_path))
    assert (found.origin is Origin.ENVIRONMENT) == (origin is not None)
    assert origin is None or found.guilty == ()


@pytest.mark.parametrize("report", REPORTS, ids=lambda each: each["url"].partition("com/")[2])
def test_the_text_of_each_is_understood(report: dict[str, Any], tmp_path: Path) -> None:
    assert failure(report, tmp_path).symptom is not None
