"""Signals end a command with all its processes, whatever these do and whoever waits for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interrupted_program import living, usual_signals

pytestmark = pytest.mark.long

_PROGRAM = """
import signal, socket, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
from syncbot.interruption import ending_all, leave

def stubborn():
    inner = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
    outer = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {inner!r}]); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", outer], start_new_session=True) as process:
        process.wait()

def silent():
    with socket.create_server(("127.0.0.1", 0)) as server:
        print("up", flush=True)
        server.accept()

def unheard():
    # As where the main thread is about to wait when the signal comes.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    return silent

with ending_all():
    try:
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as pool:
            pool.submit(time.sleep, 0).result()
            pool.submit({work}).result()
    finally:
        leave()
"""


@pytest.fixture
def marked(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An environment that marks processes and has a folder for temporary files."""
    (tmp_path / "tmp").mkdir()
    yield {**os.environ, "MARK": str(tmp_path), "TMPDIR": str(tmp_path / "tmp")}
    assert living(f"MARK={tmp_path}") == []
    assert list((tmp_path / "tmp").iterdir()) == []


def ended(work: str, environment: dict[str, str], *signals: signal.Signals) -> tuple[int, str]:
    """How a program ends to which signals are sent while it does this work, and what it says."""
    text = _PROGRAM.replace("{work}", work)
    with subprocess.Popen(
        [sys.executable, "-c", text], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, preexec_fn=usual_signals,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        for each in signals:
            process.send_signal(each)
        try:
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    return process.returncode, errors


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_children_that_refuse_end_with_theirs(marked: dict[str, str], how: signal.Signals) -> None:
    assert ended("stubborn", marked, how, how) == (130, "syncbot: interrupted\n")


def test_a_thread_that_waits_for_a_stranger_is_left_behind(marked: dict[str, str]) -> None:
    assert ended("silent", marked, signal.SIGTERM) == (130, "syncbot: interrupted\n")


def test_a_signal_that_the_main_thread_does_not_hear_ends_all(marked: dict[str, str]) -> None:
    assert ended("unheard()", marked, signal.SIGTERM) == (130, "syncbot: interrupted\n")


def test_a_signal_that_somebody_ignores_stays_ignored(marked: dict[str, str]) -> None:
    text = """
import os, signal
from syncbot.interruption import ending_all, leave
signal.signal(signal.SIGHUP, signal.SIG_IGN)
before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
with ending_all():
    os.kill(os.getpid(), signal.SIGHUP)
leave()
assert before == [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
"""
    done = subprocess.run(
        [sys.executable, "-c", text], env=marked, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_is_told_after_a_signal_that_a_callback_swallowed(marked: dict[str, str]) -> None:
    """Python goes on where KeyboardInterrupt is raised in ``__del__``, as in its own callbacks of imports."""
    text = """
import os, signal
from syncbot.interruption import ending_all, stop_if_interrupted

class Gone:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

with ending_all():
    stop_if_interrupted()
    Gone()
    print("swallowed", flush=True)
    stop_if_interrupted()
    print("told")
"""
    done = subprocess.run(
        [sys.executable, "-c", text], env=marked, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "swallowed\n", "syncbot: interrupted\n")


def test_other_errors_of_objects_that_go_are_told_as_ever(marked: dict[str, str]) -> None:
    text = """
import sys
from syncbot.interruption import ending_all

class Gone:
    def __del__(self):
        raise ValueError("spilt")

before = sys.unraisablehook
with ending_all():
    Gone()
assert sys.unraisablehook is before
"""
    done = subprocess.run(
        [sys.executable, "-c", text], env=marked, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "ValueError: spilt" in done.stderr


def test_streams_that_are_closed_take_no_file_and_stop_nothing() -> None:
    """The first file that is opened would get their number, and be written to."""
    command = f"{sys.executable} -m syncbot"
    for closed, code in ((">&-", 0), ("2>&-", 0), ("<&- >&- 2>&-", 0)):
        done = subprocess.run(["sh", "-c", f"{command} --version {closed}"], capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (code, b""), closed


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_stream_that_is_full_changes_no_exit_code(unbuffered: str) -> None:
    """Python writes what is left of a stream when it exits, and has a code of its own if it cannot."""
    command = f"{sys.executable} -m syncbot"
    for line, code in (
        ("check --bogus 2>/dev/full", 2),
        ("--version >/dev/full", 3),
        ("--version >/dev/full 2>&1", 3),
    ):
        done = subprocess.run(
            ["sh", "-c", f"{command} {line}"],
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, (line, done.stderr)
        assert "Exception ignored" not in done.stderr
