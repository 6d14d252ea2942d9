from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from syncbot.isolation import run_command
from syncbot.isolation.run_command import last_words, run, tail


def test_output_and_exit_code_are_kept(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "one.log"
    program = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)"
    done = run([sys.executable, "-c", program], log, environment=os.environ, folder=tmp_path)
    assert done.code == 7
    assert {"out", "err"} <= set(tail(log))


def test_only_the_given_environment_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_CALLER", "1")
    program = "import os; print('SECRET_OF_THE_CALLER' in os.environ, os.environ['GIVEN'])"
    log = tmp_path / "log"
    run([sys.executable, "-c", program], log, environment={"GIVEN": "yes"}, folder=tmp_path)
    assert last_words(log) == "False yes"


@pytest.mark.long
def test_a_command_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    # The child ignores the polite signal.
    child = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    log = tmp_path / "log"
    done = run([sys.executable, "-c", program], log, environment=os.environ, folder=tmp_path, timeout=1.5)
    assert done.code is None
    assert _running(child) == []


def test_children_that_a_command_leaves_behind_are_ended(tmp_path: Path) -> None:
    child = "import time; time.sleep(61)"
    program = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}])"
    done = run([sys.executable, "-c", program], tmp_path / "log", environment=os.environ, folder=tmp_path)
    assert done.code == 0
    assert _running(child) == []


@pytest.mark.long
def test_what_prints_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_command, "_MOST_BYTES", 1 << 20)
    log = tmp_path / "log"
    done = run(["sh", "-c", "yes"], log, environment=os.environ, folder=tmp_path)
    assert (done.code, last_words(log)) == (-signal.SIGXFSZ, "ended: it printed more than 1 MiB")
    program = f"print('y' * {1 << 19}); print('the last')"
    done = run([sys.executable, "-c", program], tmp_path / "less", environment=os.environ, folder=tmp_path)
    assert (done.code, last_words(tmp_path / "less")) == (0, "the last")


def test_last_words_are_short(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("z" * 20_000_000)
    assert last_words(tmp_path / "log") == f"{'z' * 1_000}…"


def test_the_tail_of_a_long_log_is_its_end(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("".join(f"line {number}\n" for number in range(50_000)) + "\n  \n")
    assert tail(log, 3)[0] == "line 49999"
    assert last_words(log) == "line 49999"


def test_an_empty_log_has_no_last_words(tmp_path: Path) -> None:
    (tmp_path / "log").touch()
    assert last_words(tmp_path / "log") == "no output"


def _running(program: str) -> list[int]:
    """Processes whose command line holds ``program``; those just ended get a moment to vanish."""
    found: list[int] = []
    for _ in range(50):
        found = [
            int(pid.name) for pid in Path("/proc").iterdir() if pid.name.isdigit() and _holds(pid, program)
        ]
        if not found:
            break
        time.sleep(0.1)
    return found


def _holds(process: Path, program: str) -> bool:
    try:
        return program.encode() in (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
