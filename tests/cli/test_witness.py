"""Witnesses: what breaks is shown by importing upstream on both sides of the change."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from syncbot.witness import run
from syncbot.witness.model import Program

from .conftest import Project
from .witness_cases import CASES


@pytest.fixture
def cases(project: Project) -> Project:
    before = {f"engine/{name}.py": case[0] + "\n" for name, case in CASES.items()}
    project.files = {"engine/__init__.py": "", **before}
    project.commit("Before")
    project.git("tag", "v0.2.0")
    project.files = {"engine/__init__.py": "", **{f"engine/{n}.py": c[1] + "\n" for n, c in CASES.items()}}
    project.commit("After")
    uses = {f"src/plugin/{name}.py": case[2] + "\n" for name, case in CASES.items()}
    settings = (project.plugin / "pyproject.toml").read_text() + _witness(sys.executable)
    (project.plugin / "src/plugin/worker.py").unlink()
    project.write({"pyproject.toml": settings, **uses})
    return project


def _witness(python: str) -> str:
    return f'\n[tool.syncbot.witness]\npython = "{python}"\n'


def impact_of(report: dict[str, Any], name: str) -> dict[str, Any]:
    """The first impact on the plugin's file of a case that has a testimony."""
    own = (i for i in report["impacts"] if i["locations"][0]["file"] == f"src/plugin/{name}.py")
    return dict(next(i for i in own if i["testimony"] is not None))


def test_each_case(cases: Project) -> None:
    report = cases.check("v0.2.0", "--witness")
    told = {name: impact_of(report, name)["testimony"] for name in CASES}
    assert {n: t["outcome"] for n, t in told.items()} == {n: case[3] for n, case in CASES.items()}
    for name, testimony in told.items():
        assert CASES[name][4] in testimony["why"]
    # Python names one wrong argument only; each impact is shown by itself.
    several = [
        i["testimony"]["why"] for i in report["impacts"] if "unexpected.py" in i["locations"][0]["file"]
    ]
    assert sorted(several) == [
        "TypeError: got an unexpected keyword argument 'b'",
        "TypeError: missing a required argument: 'd'",
        "TypeError: missing a required argument: 'e'",
    ]
    # What a witness contradicts is at risk at most, and keeps its words.
    assert {impact_of(report, n)["verdict"] for n in ("set_from_outside", "decorated")} == {"at-risk"}


def test_without_the_option_nothing_of_upstream_runs(cases: Project, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    cases.change("engine/imported.py", "def other", f"open({str(trace)!r}, 'w')\n\n\ndef other")
    report = cases.check("v0.2.0")
    assert all(i["testimony"] is None for i in report["impacts"])
    assert not trace.exists()


def test_one_impact_by_its_id_and_as_a_test(cases: Project, tmp_path: Path) -> None:
    (name,) = (i["id"] for i in cases.check("v0.2.0")["impacts"] if i["symbol"] == "engine.imported.made")
    shown = cases.run("witness", name[:6], "--from", "v0.2.0")
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.endswith("\n\nfrom engine.imported import made\n")
    test = cases.run("witness", name, "--from", "v0.2.0", "--as-test").stdout
    (tmp_path / "test_it.py").write_text(test)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_it.py")]
    for tag, code in (("v0.2.0", 0), ("main", 1)):
        cases.git("checkout", "--quiet", tag)
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=tmp_path,
            env={"PYTHONPATH": str(cases.engine), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        assert done.returncode == code, done.stdout


def test_an_unknown_id_is_one_line(cases: Project) -> None:
    done = cases.run("witness", "0000000000", "--from", "v0.2.0")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "none; give exactly one" in done.stderr


def test_nothing_says_which_interpreter(project: Project) -> None:
    project.change("engine/text.py", ", strict: bool = False", "")
    done = project.run("check", "--from", "v0.1.0", "--engine", "contracts", "--witness")
    assert done.exit_code == 2
    assert 'python = ".venv/bin/python"' in done.stderr


def test_an_interpreter_that_is_not_there(project: Project) -> None:
    project.change("engine/text.py", ", strict: bool = False", "")
    text = (project.plugin / "pyproject.toml").read_text() + _witness("nowhere/python")
    project.write({"pyproject.toml": text})
    done = project.run("check", "--from", "v0.1.0", "--engine", "contracts", "--witness")
    assert done.exit_code == 2
    assert "nowhere/python is not there" in done.stderr


def test_a_program_that_does_not_end_or_takes_all_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_SECONDS", 1.0)
    texts = {
        "endless": "while True: ...",
        "greedy": "bytes(64 << 30)",
        "killed": "import os; os.kill(os.getpid(), 9)",
        "well": "1 + 1",
        "leaves": "import sys; sys.exit(3)",
    }
    programs = {name: Program(text, (), (), ()) for name, text in texts.items()}
    ended = run.endings(programs, Path(sys.executable), "", tmp_path, tmp_path / "log")
    assert {name: ending.raised[:1] for name, ending in ended.items()} == {
        "endless": ("Timeout",),
        "greedy": ("MemoryError",),
        "killed": ("Killed",),
        "well": (),
        "leaves": ("SystemExit",),
    }
