"""The command line that runs another one apart from network and files, where the system permits that."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from syncbot.project_folders import known_projects

_LAUNCHER = Path(__file__).with_name("launcher.py")
#: What lies in a user's home and opens other doors.
_SECRETS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config", ".netrc", ".pypirc", ".pip"),
    *(".git-credentials", ".npmrc", ".cargo/credentials.toml", ".local/share/keyrings", ".huggingface"),
)
#: Servers of this machine that do as root what a user asks.
_DOORS = (Path("/run/docker.sock"), Path("/run/podman"), Path("/run/containerd"))


@cache
def refusal() -> str:
    """Return why this system runs nothing apart, in a few words; empty where it does."""
    if sys.platform != "linux":
        return f"{sys.platform} has no namespaces"
    try:
        done = subprocess.run(
            _line([sys.executable, "-I", "-S", "-c", ""], (), (), ()),
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        return str(error)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no reason given"])[-1]


def apart(command: Sequence[str], writable: Iterable[Path], read_only: Iterable[Path] = ()) -> list[str]:
    """Return the command line that runs ``command`` without network, except to this machine, and without
    changing projects, the user's home or what lies below ``read_only``, but for what lies below ``writable``.

    Where the system does not permit that, it is the command itself: ``refusal`` says why.
    """
    if refusal():
        return list(command)
    home = Path.home()
    hidden = [*(home / name for name in _SECRETS), *_DOORS]
    return _line(command, [home, *known_projects(), *read_only], hidden, writable)


def own_python(code: str, *arguments: str) -> list[str]:
    """Return the command line of Python code that finds the modules that this process finds."""
    places = [place for place in sys.path if os.path.isabs(place)]
    start = f"import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); {code}"
    return [sys.executable, "-I", "-c", start, json.dumps(places), *arguments]


def _line(
    command: Sequence[str], read_only: Iterable[Path], hidden: Iterable[Path], writable: Iterable[Path]
) -> list[str]:
    folders = {
        "read_only": _there(read_only),
        "hidden": _there(hidden),
        "writable": _there(writable),
    }
    return [sys.executable, "-I", "-S", str(_LAUNCHER), json.dumps(folders), *command]


def _there(paths: Iterable[Path]) -> list[str]:
    """The paths that exist, each once and with links resolved."""
    return list(dict.fromkeys(str(path.resolve()) for path in paths if path.exists()))
