"""The step of the nightly workflow that keeps reports, run as a runner does it, against a repository."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from .conftest import ROOT
from .test_patches import git

WORKFLOW = ROOT / "docs" / "workflows" / "nightly.yml"


def step(name: str) -> str:
    job: Any = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["site"]
    return str(next(each["run"] for each in job["steps"] if each.get("id") == name))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A clone of a repository with one commit, as the workflow has it."""
    remote, folder = tmp_path / "remote.git", tmp_path / "checkout"
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", remote], check=True)
    subprocess.run(["git", "clone", "--quiet", remote, folder], check=True, capture_output=True)
    (folder / "README.md").write_text("ours\n", encoding="utf-8")
    git(folder, "add", "README.md")
    git(folder, "commit", "--quiet", "-m", "Begin")
    git(folder, "push", "--quiet", "origin", "HEAD:main")
    return folder


def night(checkout: Path, day: str, report: dict[str, object]) -> None:
    """One night on a fresh runner; ``date`` says which day it is."""
    runner = checkout.parent / f"runner-{day}-{report['n']}"
    (runner / "report").mkdir(parents=True)
    (runner / "report" / "report.json").write_text(json.dumps(report), encoding="utf-8")
    programs = runner / "bin"
    programs.mkdir()
    (programs / "date").write_text(f"#!/bin/sh\necho {day}\n", encoding="utf-8")
    (programs / "date").chmod(0o755)
    fresh = runner / "checkout"
    subprocess.run(["git", "clone", "--quiet", checkout.parent / "remote.git", fresh], check=True)
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step("keep")], cwd=fresh, capture_output=True, text=True, check=False,
        env={**os.environ, "RUNNER_TEMP": str(runner), "PATH": f"{programs}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    kept = runner / "kept" / "reports" / f"{day}.json"
    assert json.loads(kept.read_text(encoding="utf-8")) == report
    assert git(fresh, "status", "--porcelain") == ""


def test_each_night_adds_its_report_to_a_branch_of_their_own(checkout: Path) -> None:
    night(checkout, "2026-01-23", {"n": 1})
    night(checkout, "2026-01-24", {"n": 2})
    night(checkout, "2026-01-24", {"n": 3})
    remote = checkout.parent / "remote.git"
    branch = "refs/heads/syncbot-reports"
    assert git(remote, "ls-tree", "-r", "--name-only", branch).splitlines() == [
        "reports/2026-01-23.json",
        "reports/2026-01-24.json",
    ]
    assert json.loads(git(remote, "show", f"{branch}:reports/2026-01-24.json"))["n"] == 3
    subjects = git(remote, "log", "--format=%s", branch).splitlines()
    assert subjects == ["Report of 2026-01-24"] * 2 + ["Report of 2026-01-23"]
    assert git(remote, "log", "--format=%s", "main") == "Begin"


def test_the_same_report_again_is_no_commit(checkout: Path) -> None:
    night(checkout, "2026-01-23", {"n": 1})
    before = git(checkout.parent / "remote.git", "rev-parse", "syncbot-reports")
    (checkout.parent / "runner-2026-01-23-1").rename(checkout.parent / "earlier")
    night(checkout, "2026-01-23", {"n": 1})
    assert git(checkout.parent / "remote.git", "rev-parse", "syncbot-reports") == before
