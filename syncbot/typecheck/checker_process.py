"""Running a checker: no configuration of the user's or the backend's reaches it, and how long it may go on is
counted in seconds of processor, so that the load of the machine decides nothing."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from syncbot.errors import EnvironmentFailure

# The language version that both sides are read as; sources that differ by version differ on both alike.
PYTHON = "3.12"
#: Seconds of processor that a run may use. It takes some; one that never ends must not hold up the check.
MOST_SECONDS = 900
# Seconds by the clock after which one that sleeps, and uses no processor at all, is given up.
_ASLEEP, _LOOKS_EVERY = 600, 30
# The system ends who used more, with SIGXCPU; it asks nothing of the clock.
_LIMITED = ("/bin/sh", "-c", 'ulimit -S -t "$0" && exec "$@"')


def run(
    command: Sequence[str], folder: Path, variables: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a checker in ``folder``. Raises EnvironmentFailure where it cannot be started, uses more than
    ``MOST_SECONDS`` of processor, or sleeps."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TMPDIR", "SYSTEMROOT")}
    home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    return _finished(command, folder, kept | home | dict(variables))


def _finished(
    command: Sequence[str], folder: Path, variables: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    name = Path(command[0]).name
    try:
        process = subprocess.Popen(
            [*_LIMITED, str(MOST_SECONDS), *command],
            cwd=folder,
            env=dict(variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise EnvironmentFailure(f"{name} cannot be started ({error.strerror}): install it again") from error
    with process:
        try:
            output, errors = _awake(process, name)
        except BaseException:
            process.kill()
            raise
    if process.returncode == -signal.SIGXCPU:
        raise EnvironmentFailure(f"{name} did not end within {MOST_SECONDS} s of processor")
    return subprocess.CompletedProcess(list(command), process.returncode, output, errors)


def _awake(process: subprocess.Popen[str], name: str) -> tuple[str, str]:
    """Return the output of a process when it has ended. Raises EnvironmentFailure if it sleeps."""
    used, asleep = _processor_ticks(process.pid), 0
    while True:
        try:
            return process.communicate(timeout=_LOOKS_EVERY)
        except subprocess.TimeoutExpired:
            now = _processor_ticks(process.pid)
            asleep = asleep + _LOOKS_EVERY if now == used is not None else 0
            used = now
            if asleep >= _ASLEEP:
                raise EnvironmentFailure(f"{name} slept for {_ASLEEP} s") from None


def _processor_ticks(process: int) -> int | None:
    """Return the processor time of a process, in ticks; None where the system does not report it."""
    try:
        fields = Path("/proc", str(process), "stat").read_text(errors="replace").rpartition(")")[2].split()
        return sum(map(int, fields[11:15]))
    except (OSError, ValueError):
        return None


def failed(name: str, result: subprocess.CompletedProcess[str]) -> EnvironmentFailure:
    """The error for a run whose output cannot be read."""
    lines = (result.stderr or result.stdout).strip().splitlines()
    why = lines[-1][:200] if lines else "no output"
    return EnvironmentFailure(f"{name} failed with exit code {result.returncode}: {why}")


@cache
def version(program: str) -> str:
    """Return the output of ``program --version``, empty if it does not run."""
    try:
        result = _finished([program, "--version"], Path.cwd(), os.environ)
    except EnvironmentFailure:
        return ""
    return result.stdout.strip() if result.returncode == 0 else ""


def site_packages(environment: Path) -> tuple[Path, ...]:
    """A virtual environment's folders of third-party packages. Raises EnvironmentFailure for none."""
    found = tuple(sorted(environment.glob("lib*/python3*/site-packages")))
    if not found:
        raise EnvironmentFailure(
            f"{environment} holds no lib/python3*/site-packages: name the folder of a virtual environment"
        )
    return found
