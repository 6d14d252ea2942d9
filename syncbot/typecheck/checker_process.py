"""Running a checker: no configuration of the user's or the backend's reaches it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from syncbot.errors import EnvironmentFailure

# The language version that both sides are read as; sources that differ by version differ on both alike.
PYTHON = "3.12"
# A run takes seconds; one that hangs must not hang the whole check.
_SECONDS = 900


def run(
    command: Sequence[str], folder: Path, variables: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a checker in ``folder``. Raises EnvironmentFailure where it does not end on its own."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TMPDIR", "SYSTEMROOT")}
    home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    try:
        return subprocess.run(
            list(command),
            cwd=folder,
            env=kept | home | dict(variables),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        raise EnvironmentFailure(
            f"{command[0]} cannot be started ({error.strerror}): install it again"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFailure(
            f"{command[0]} did not end within {_SECONDS} s: leave this engine out"
        ) from error


def failed(name: str, result: subprocess.CompletedProcess[str]) -> EnvironmentFailure:
    """The error for a run whose output cannot be read."""
    lines = (result.stderr or result.stdout).strip().splitlines()
    why = lines[-1][:200] if lines else "no output"
    return EnvironmentFailure(f"{name} failed with exit code {result.returncode}: {why}")


@cache
def version(program: str) -> str:
    """What ``program --version`` says, empty where it does not run."""
    try:
        result = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
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
