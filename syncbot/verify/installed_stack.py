"""Lists the distributions of an environment and the parts beside it, without importing them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from syncbot.config import PartConfig
from syncbot.errors import EnvironmentFailure, UsageError

# Runs in the environment's own interpreter, which knows its paths; any Python 3.8 understands it. The first
# distribution of a name on the path is the one that is imported.
_ASK = """
import sys
sys.path = [entry for entry in sys.path if entry]
import json, platform
from importlib import metadata
found = {}
for each in metadata.distributions():
    name = each.metadata["Name"] if each.metadata is not None else None
    if name and each.version:
        found.setdefault(name, each.version)
print(json.dumps({"python": platform.python_version(), "distributions": found}))
"""
_PATIENCE = 60


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment: its interpreter, Python's version, and versions by distribution and by other part."""

    interpreter: Path
    python: str
    distributions: Mapping[str, str]
    parts: Mapping[str, str]


def current_interpreter(environment: Mapping[str, str]) -> Path:
    """The interpreter of the active virtual environment, else the one that runs syncbot."""
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        folder = environment.get(variable)
        if folder and (Path(folder) / "bin" / "python").exists():
            return Path(folder) / "bin" / "python"
    return Path(sys.executable)


def look(interpreter: Path, parts: Mapping[str, PartConfig]) -> Installed:
    """Return the distributions of an interpreter, from their metadata, and the parts beside it. Raises
    UsageError if it is no Python, EnvironmentFailure if it does not answer."""
    try:
        done = subprocess.run(
            [str(interpreter), "-c", _ASK],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE,
        )
    except OSError as error:
        raise UsageError(
            f"{interpreter} cannot be run ({error.strerror}): name a Python interpreter"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFailure(
            f"{interpreter} did not answer within {_PATIENCE} s: try it by hand"
        ) from error
    try:
        told = json.loads(done.stdout.strip().splitlines()[-1])
        distributions = {str(canonicalize_name(n)): str(v) for n, v in told["distributions"].items()}
        python = str(told["python"])
    except (IndexError, ValueError, KeyError, TypeError, AttributeError) as error:
        cause = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise UsageError(f"{interpreter} is no Python 3.8 or newer ({cause}): name one") from error
    found = {name: version for name, part in parts.items() if (version := part_version(part, os.environ))}
    return Installed(interpreter, python, distributions, found)


def part_version(part: PartConfig, environment: Mapping[str, str]) -> str | None:
    """The version that the first readable file of a part says, None where it is not installed."""
    for file in _files(part, environment):
        try:
            said = re.search(part.pattern, file.read_text(encoding="utf-8", errors="replace"))
        except OSError:
            continue
        if said is not None:
            return said[1]
    return None


def _files(part: PartConfig, environment: Mapping[str, str]) -> Iterator[Path]:
    named = [environment[variable] for variable in part.variables if environment.get(variable)]
    for folder in [*named, *part.folders]:
        for pattern in part.files:
            yield from sorted(Path(folder).glob(pattern))
