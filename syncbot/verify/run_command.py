"""Run one command to its end, with its output in a file and nothing left running behind it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.isolation.command import apart

_TAIL_LINES = 40
_GRACE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended: its exit code, None when it ran out of time, and the file with its output."""

    code: int | None
    log: Path


def run(
    command: Sequence[str],
    log: Path,
    *,
    environment: Mapping[str, str],
    folder: Path,
    timeout: float | None = None,
    apart_in: Path | None = None,
    unchanged: Sequence[Path] = (),
) -> Finished:
    """Run ``command`` with exactly ``environment``, its output appended to ``log``; its process group ends
    with it, after ``timeout`` seconds, or with the caller. Foreign code is run ``apart_in`` a folder, which
    it may write to, and changes no ``unchanged`` one. Raises OSError when it cannot be started."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        output.write(os.fsencode(f"$ {' '.join(command)}\n"))
        output.flush()
        process = subprocess.Popen(
            apart(command, [apart_in], unchanged) if apart_in is not None else command,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
        )
        try:
            code: int | None = process.wait(timeout)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end_group(process)
    return Finished(code, log)


def tail(log: Path, lines: int = _TAIL_LINES) -> list[str]:
    """The last ``lines`` lines of a file; of a long one only its last 64 kB are read."""
    with log.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - 65536))
        return file.read().decode(errors="replace").splitlines()[-lines:]


def last_words(log: Path) -> str:
    """The last line of a log that says something."""
    return next((line.strip() for line in reversed(tail(log)) if line.strip()), "no output")


def _end_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_SECONDS)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
