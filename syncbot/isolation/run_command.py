"""Run one command to its end, with its output in a file and nothing left running behind it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.isolation.command import apart
from syncbot.isolation.processor_time import Limits, Watch, look

_TAIL_LINES = 40
_GRACE_SECONDS = 5.0
#: What a command may print: more than any real one, and less than a disk holds.
_MOST_BYTES = 1 << 30
_LOOKS_EVERY = 0.5
_LOOKS_AT_PROCESSES_EVERY = 2.0
_LONGEST_LINE = 1_000


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended: its exit code, None when it ran out of time, the file with its output, and which
    limit it reached."""

    code: int | None
    log: Path
    reached: str | None = None


def run(
    command: Sequence[str],
    log: Path,
    *,
    environment: Mapping[str, str],
    folder: Path,
    timeout: float | None = None,
    limits: Limits | None = None,
    apart_in: Path | None = None,
    unchanged: Sequence[Path] = (),
) -> Finished:
    """Run ``command`` with exactly ``environment``, its output appended to ``log``; its process group ends
    with it, after ``timeout`` seconds on the clock, at one of the ``limits``, or with the caller. Foreign
    code is run ``apart_in`` a folder, which it may write to, and changes no ``unchanged`` one. What prints
    without end is ended, as by the signal for files that are too large. Raises OSError when it cannot be
    started."""
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
            code, reached = _ended(process, log, timeout, limits)
        finally:
            _end_group(process)
        if code == -signal.SIGXFSZ:
            output.write(f"\nended: it printed more than {_MOST_BYTES >> 20} MiB\n".encode())
    return Finished(code, log, reached)


def _ended(
    process: subprocess.Popen[bytes], log: Path, timeout: float | None, limits: Limits | None
) -> tuple[int | None, str | None]:
    """The exit code of a command, None where its time is up, and the limit that it reached."""
    begun = looked = time.monotonic()
    watch = Watch(limits, look(process.pid, limits.progress, begun)) if limits is not None else None
    while True:
        left = _LOOKS_EVERY if timeout is None else min(_LOOKS_EVERY, begun + timeout - time.monotonic())
        try:
            return process.wait(max(0.0, left)), None
        except subprocess.TimeoutExpired:
            now = time.monotonic()
            if log.stat().st_size > _MOST_BYTES:
                return -signal.SIGXFSZ, None
            if timeout is not None and now - begun >= timeout:
                return None, f"did not end within {timeout:.0f} s"
            if watch is not None and limits is not None and now - looked >= _LOOKS_AT_PROCESSES_EVERY:
                looked = now
                if reached := watch.reached(look(process.pid, limits.progress, now)):
                    return None, reached


def tail(log: Path, lines: int = _TAIL_LINES) -> list[str]:
    """The last ``lines`` lines of a file; of a long one only its last 64 kB are read."""
    with log.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - 65536))
        return file.read().decode(errors="replace").splitlines()[-lines:]


def last_words(log: Path) -> str:
    """The last line of a log that says something, as far as it can be read."""
    line = next((line.strip() for line in reversed(tail(log)) if line.strip()), "no output")
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"


def _end_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_SECONDS)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
