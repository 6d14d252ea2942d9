"""A program that is ended by a signal in the midst of its work, and what of it lives afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

#: Does not listen to signals, says that it runs, and has a child in a session of its own.
STUBBORN = """#!/bin/sh
trap '' INT TERM HUP
setsid sleep 600.{number} &
echo $$ > {mark}
sleep 600.{number}
sleep 600.{number}
"""


@dataclass(frozen=True)
class Ended:
    """How a program ended."""

    code: int
    output: str
    errors: str


def living(mark: str) -> list[str]:
    """The processes, zombies left out, that have a mark in their environment or in their command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            command = (folder / "cmdline").read_bytes()
            if state != "Z" and mark.encode() in (folder / "environ").read_bytes() + command:
                found.append(command.replace(b"\0", b" ").decode())
        except OSError:
            pass
    return found


def interrupted(
    command: Sequence[str | Path], how: signal.Signals, running: Path, environment: Mapping[str, str]
) -> Ended:
    """Run a program until a file is there that says that it works, then end it: SIGINT goes to its group, as a
    terminal sends it."""
    with subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=usual_signals,
    ) as process:  # fmt: skip
        while not running.exists():
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        os.killpg(process.pid, how) if how == signal.SIGINT else process.send_signal(how)
        try:
            output, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    return Ended(process.returncode, output, errors)


def usual_signals() -> None:
    """Hear what a background job, or one that outlives its terminal, is started to ignore."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_DFL)
