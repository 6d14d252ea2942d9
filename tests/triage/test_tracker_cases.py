"""Failures of public trackers that were labelled before triage was run on them. Those that need upstream's real
history are held against it by ``benchmarks/tracker_cases.py``; here stands what the text alone decides, and with
the names of the small world what its trees decide."""

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
from .test_user_reports import REPORTS

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "tracker_cases.json").read_text(encoding="utf-8")
)
#: Where the trees of upstream or the plugin's sources have to be asked whether a module is theirs.
ASKED = ("issues/329", "issues/415", "issues/9458", "pull/296")
BY_TEXT = [c for c in CASES if c["answer"] == "not-upstream" and not c["url"].endswith(ASKED)]


def failures(text: str, folder: Path) -> list[Failure]:
    log = folder / "run.log"
    log.write_text(text + "\n", encoding="utf-8", newline="")
    return causes(read([str(log)]))


def test_the_cases_are_many_new_and_of_both_sides() -> None:
    assert len({c["url"] for c in CASES}) == len(CASES) >= 30
    assert not {c["url"] for c in CASES} & {each["url"] for each in REPORTS}
    assert sum(c["answer"] in ("upstream", "too-old") for c in CASES) >= 15
    assert all(c["pr"] for c in CASES if c["answer"] in ("upstream", "too-old"))


@pytest.mark.parametrize("case_", BY_TEXT, ids=lambda c: c["url"].partition("com/")[2])
def test_what_is_the_environments_is_decided_by_its_text(case_: dict[str, Any], tmp_path: Path) -> None:
    (cause,) = failures(case_["log"], tmp_path)
    found = environmental(cause)
    assert found.origin is Origin.ENVIRONMENT
    assert case_["says"].lower() in f"{found.note}: {found.act}".lower()


@pytest.mark.parametrize("case_", CASES, ids=lambda c: c["url"].partition("com/")[2])
def test_each_log_holds_a_failure(case_: dict[str, Any], tmp_path: Path) -> None:
    assert failures(case_["log"], tmp_path)


WHEEL = '  File "/usr/lib/python3/site-packages/{path}", line {line}, in {function}\n    {code}\n'
OURS = '  File "/a/src/plugin/{module}.py", line {line}, in run\n    {code}\n'


@pytest.mark.parametrize(
    ("log", "origin", "says"),
    [
        # The innermost frame is a package's of neither side, and its error names nothing of theirs.
        (
            WHEEL.format(path="engine/selector.py", line=5, function="select", code="platform.backend_class(")
            + WHEEL.format(path="grammars/compiler.py", line=3, function="compile", code="native(a)")
            + "RuntimeError: the grammar is broken\n",
            Origin.ENVIRONMENT,
            "the package grammars raised it in its own code",
        ),
        ("ModuleNotFoundError: No module named 'plugin.key_read'", Origin.ENVIRONMENT, "the sources here have"),
        ("ModuleNotFoundError: No module named 'plugin.never'", Origin.BACKEND, "neither the plugin's sources"),
        # Upstream, torch and the like only carry what others did.
        (
            WHEEL.format(path="torch/nn/module.py", line=3, function="__call__", code="raise error")
            + "RuntimeError: something is wrong\n",
            Origin.UNKNOWN,
            "explains it",
        ),
        # The class has the attribute at both ends, so that no commit can have taken it.
        ("AttributeError: 'Runner' object has no attribute 'steps'", Origin.UNKNOWN, "which the error denies"),
        ("TypeError: Scheduling.__init__() got an unexpected keyword argument 'never'", Origin.UNKNOWN,
         "both ends behave alike"),
        # A name that comments and other words have is no reason to blame.
        ("TypeError: helper() missing 1 required positional argument: 'mark'", Origin.UNKNOWN, "explains it"),
    ],
)  # fmt: skip
def test_nobody_is_blamed_and_it_is_said_why(
    case: SearchedRange,  # noqa: F811
    log: str,
    origin: Origin,
    says: str,
    tmp_path: Path,
) -> None:
    (cause,) = failures(log, tmp_path)
    found = diagnosed(case, cause)
    assert (found.origin, found.guilty) == (origin, ())
    assert says in found.note
    assert found.act


def test_a_newer_end_that_has_what_lacked_is_an_older_upstream_that_ran(
    case: SearchedRange,  # noqa: F811
    tmp_path: Path,
) -> None:
    (cause,) = failures("ImportError: cannot import name 'tidy' from 'engine.text' (/a/text.py)", tmp_path)
    found = diagnosed(case, cause)
    assert (found.origin, found.guilty[0].commit.pr) == (Origin.TOO_OLD, 115)
    assert (found.note, found.release) == ("engine.text.tidy does not exist", "v0.2.0")


def test_no_acquittal_where_one_call_of_the_statement_is_unknown(
    case: SearchedRange,  # noqa: F811
    tmp_path: Path,
) -> None:
    frame = (
        'Traceback (most recent call last):\n  File "/a/src/plugin/own_keyword.py", line {}, in run\n    {}\n'
    )
    file = next(f for f in case.trees.backend.files if f.path.endswith("own_keyword.py"))
    lines = file.text.decode().splitlines()
    number = next(n for n, line in enumerate(lines, 1) if "own" in line and "(" in line and "def" not in line)
    known = frame.format(number, lines[number - 1].strip())
    error = "TypeError: helper() got an unexpected keyword argument 'nothing'\n"
    (cause,) = failures(known + error, tmp_path)
    assert diagnosed(case, cause).origin in (Origin.BACKEND, Origin.UNKNOWN)
    # A line that is not in the file is not known whole.
    (cause,) = failures(frame.format(number, "a, b = (") + error, tmp_path)
    assert diagnosed(case, cause).origin is Origin.UNKNOWN
