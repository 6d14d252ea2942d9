from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from .github_server import Fault, State

SHA = "5" * 40


def document(name: str, commits: int, *impacts: tuple[str, bool]) -> dict[str, Any]:
    sha = "7" * 40
    commit = {
        "sha": sha, "date": "2026-01-02T00:00:00+00:00", "author": "A", "subject": "S", "level": "low",
        "types": [], "files": [],
    }  # fmt: skip
    rows = [
        {"id": str(number), "commit": sha, "symbol": "pkg.a", "kind": "symbol-removed", "verdict": verdict,
         "locations": [], "message": "", "tests_only": tests}
        for number, (verdict, tests) in enumerate(impacts)
    ]  # fmt: skip
    upstream = {"name": name, "from": "1", "to": "2"}
    return {"schema": 1, "upstream": upstream, "commits": [commit] * commits, "impacts": rows}


def report(tmp_path: Path, *impacts: tuple[str, bool]) -> str:
    file = tmp_path / "report.json"
    file.write_text(json.dumps(document("engine", 1, *impacts)), encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("impacts", "fail_on", "state_", "description"),
    [
        ((), "breaks", "success", "engine: 1 commit, nothing breaks"),
        ((("breaks", False), ("breaks", False), ("drift", False)), "breaks", "failure", "engine: 1 commit, 2 breaks, 1 drift"),
        ((("breaks", True), ("at-risk", False)), "breaks", "success", "engine: 1 commit, 1 at risk"),
        ((("at-risk", False),), "at-risk", "failure", "engine: 1 commit, 1 at risk"),
        ((("breaks", False),), "never", "success", "engine: 1 commit, 1 break"),
    ],
)  # fmt: skip
def test_what_a_report_says_of_a_commit(
    state: State, run: Callable[..., Result], tmp_path: Path, impacts: tuple[tuple[str, bool], ...],
    fail_on: str, state_: str, description: str,
) -> None:  # fmt: skip
    done = run("check", "--sha", SHA, "--fail-on", fail_on, report(tmp_path, *impacts))
    assert (done.exit_code, done.output) == (0, f"status {state_}: syncbot: {description}\n")
    [posted] = state.statuses
    assert posted == {
        "sha": SHA, "state": state_, "context": "syncbot", "description": description, "target_url": None,
    }  # fmt: skip


def test_several_upstreams_make_one_status(state: State, run: Callable[..., Result], tmp_path: Path) -> None:
    reports = [
        document("engine", 2),
        document("kernels", 2, ("breaks", False)),
        document("ops", 2, ("breaks", True), ("drift", False)),
    ]
    file = tmp_path / "several.json"
    file.write_text(json.dumps({"schema": 1, "reports": reports}), encoding="utf-8")
    done = run("check", "--sha", SHA, str(file))
    said = "kernels: 2 commits, 1 break; engine: 2 commits, nothing breaks; ops: 2 commits, 1 drift"
    assert (done.exit_code, done.output) == (0, f"status failure: syncbot: {said}\n")
    file.write_text(json.dumps({"schema": 1, "reports": [*reports[:1], {"schema": 1}]}), encoding="utf-8")
    done = run("check", "--sha", SHA, str(file))
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert [status["description"] for status in state.statuses] == [said]


def test_the_same_is_not_said_twice_in_a_row(
    state: State, run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_SHA", SHA)
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.com")
    monkeypatch.setenv("GITHUB_RUN_ID", "17")
    good = report(tmp_path)
    for _ in range(2):
        assert run("check", "--context", "syncbot/nightly", good).exit_code == 0
    assert [s["target_url"] for s in state.statuses] == ["https://github.com/octocat/backend/actions/runs/17"]
    assert run("check", "--context", "other", good).exit_code == 0
    bad = report(tmp_path, ("breaks", False))
    assert run("check", "--context", "Syncbot/nightly", bad).exit_code == 0
    state.page = 1
    assert run("check", "--context", "syncbot/nightly", report(tmp_path)).exit_code == 0
    assert [s["state"] for s in state.statuses] == ["success", "success", "failure", "success"]


def test_a_status_that_may_have_been_posted(state: State, run: Callable[..., Result], tmp_path: Path) -> None:
    state.faults.append(Fault("POST", "/statuses/", 500, done=True))
    assert run("check", "--sha", SHA, report(tmp_path)).exit_code == 0
    assert len(state.statuses) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"schema": 2}',
        '{"schema": 1, "reports": []}',
        '{"schema": 1, "impacts": [1], "commits": []}',
    ],
)
def test_what_is_no_report(state: State, run: Callable[..., Result], tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text, encoding="utf-8")
    done = run("check", "--sha", SHA, str(file))
    assert done.exit_code == 2
    assert "is no report of syncbot" in done.stderr
    assert state.calls == []


def test_wrong_use(run: Callable[..., Result], tmp_path: Path) -> None:
    assert "no complete sha" in run("check", "--sha", "main", report(tmp_path)).stderr
    assert "cannot be read" in run("check", "--sha", SHA, "nowhere.json").stderr
    assert "Missing option '--sha'" in run("check", report(tmp_path)).stderr
