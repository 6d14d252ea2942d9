"""The step of the nightly workflow that keeps reports, run as a runner does it, against a repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from syncbot.report.catalogue import words
from syncbot.report.formats.json import as_json
from tests.project_texts import hatchling, settings, write
from tests.report.conftest import day

from .conftest import ROOT
from .test_patches import git

WORKFLOW = ROOT / "docs" / "workflows" / "nightly.yml"


# The real day begins in Asia, and is two of them in UTC.
DAYS = ["2026-01-22.html", "2026-01-23.html"]
PAGES = ROOT / ".github" / "workflows" / "documents.yml"


def step(name: str, workflow: Path = WORKFLOW, job_name: str = "site") -> str:
    job: Any = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"][job_name]
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


def pages(checkout: Path) -> Path:
    """The pages of a fresh checkout, as the runner makes them by the tool as it is."""
    runner = checkout.parent / "runner-pages"
    runner.mkdir()
    fresh = runner / "checkout"
    subprocess.run(["git", "clone", "--quiet", checkout.parent / "remote.git", fresh], check=True)
    (fresh / ".venv/bin").mkdir(parents=True)
    (fresh / ".venv/bin/syncbot").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m syncbot "$@"\n', encoding="utf-8"
    )
    (fresh / ".venv/bin/syncbot").chmod(0o755)
    for name in ("matrix", "wheels"):
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step(name, PAGES, "build")],
            cwd=fresh, capture_output=True, text=True, check=False,
            env={**os.environ, "RUNNER_TEMP": str(runner), "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    return fresh / "build/documents/site"


@pytest.mark.parametrize("kept", [False, True])
def test_the_pages_have_the_site_of_kept_reports_and_the_index_of_wheels(checkout: Path, kept: bool) -> None:
    project = {
        "pyproject.toml": settings("lib", 'release = "lib"', "plugin"),
        "compat_matrix.yaml": 'upstream: lib\nbaseline: v1.0\nlanes:\n  - {tag: v1.0, wheel: "1.0", python: ">=3.11"}\n',
        "backend/pyproject.toml": hatchling("plugin", "0"),
        "backend/src/plugin/__init__.py": "",
    }
    write(checkout, project)
    git(checkout, "add", ".")
    git(checkout, "commit", "--quiet", "-m", "A project")
    git(checkout, "push", "--quiet", "origin", "HEAD:main")
    if kept:
        git(checkout, "checkout", "--quiet", "--orphan", "syncbot-reports")
        report = as_json([replace(day(), impacts=())], words("en"))
        write(checkout, {"reports/2026-01-23.json": report})
        git(checkout, "add", ".")
        git(checkout, "commit", "--quiet", "-m", "Report")
        git(checkout, "push", "--quiet", "origin", "HEAD:syncbot-reports")
    made = pages(checkout)
    assert (made / "matrix/index.html").is_file()
    assert sorted(path.name for path in (made / "matrix").glob("days/*")) == DAYS * kept
    assert (made / "wheels/simple/plugin/index.html").is_file()
