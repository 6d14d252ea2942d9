"""A checker's limit counts processor time: how busy the machine is changes nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from syncbot.errors import EnvironmentFailure
from syncbot.typecheck import checker_process
from syncbot.typecheck.checker_process import run


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def test_what_a_checker_says_and_how_it_ends(tmp_path: Path) -> None:
    done = run(
        python("import os; print(os.getcwd(), os.environ['WORD']); raise SystemExit(3)"),
        tmp_path,
        {"WORD": "x"},
    )
    assert (done.returncode, done.stdout.split()) == (3, [str(tmp_path), "x"])


@pytest.mark.long
def test_one_that_computes_without_end_is_told_by_its_seconds_of_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checker_process, "MOST_SECONDS", 1)
    with pytest.raises(EnvironmentFailure, match="did not end within 1 s of processor"):
        run(python("while True: pass"), tmp_path, {})


@pytest.mark.long
def test_one_that_sleeps_is_told_and_one_that_waits_for_its_turn_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checker_process, "_LOOKS_EVERY", 1)
    monkeypatch.setattr(checker_process, "_ASLEEP", 3)
    with pytest.raises(EnvironmentFailure, match="slept"):
        run(python("import time; time.sleep(600)"), tmp_path, {})
    # It works now and then, in all longer than one may sleep.
    working = "import time\nfor _ in range(6):\n    time.sleep(0.8)\n    sum(range(3_000_000))\nprint('done')"
    assert run(python(working), tmp_path, {}).stdout == "done\n"


def test_a_program_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    assert run([str(tmp_path / "none")], tmp_path, {}).returncode == 127
    with pytest.raises(EnvironmentFailure, match="cannot be started"):
        run(python("pass"), tmp_path / "no-folder", {})
