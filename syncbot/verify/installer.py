"""Virtual environments and what is installed in them, by uv, from where pip is told to find packages."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from uv import find_uv_bin

from syncbot.errors import EnvironmentFailure
from syncbot.verify.package_sources import package_sources, pip_configuration, uv_variables
from syncbot.verify.run_command import run, tail

_LONGEST_CAUSE = 400
_CROSS = "\N{MULTIPLICATION SIGN}"  # opens the resolver's complaints
_UNREACHABLE = ("dns error", "connection refused", "error sending request", "timed out", "offline")


@dataclass(frozen=True, slots=True)
class Installer:
    """uv with its environment. Made by ``Installer.of_this_machine``."""

    uv: str
    environment: Mapping[str, str]
    folder: Path

    @classmethod
    def of_this_machine(cls, cache: Path) -> Installer:
        """An installer with pip's configuration and downloads below ``cache`` (or UV_CACHE_DIR). Raises
        EnvironmentFailure."""
        environment = dict(os.environ)
        environment |= uv_variables(pip_configuration(), environment)
        environment.setdefault("UV_CACHE_DIR", str(cache / "uv"))
        environment.setdefault("UV_PYTHON_DOWNLOADS", "never")
        environment["UV_NO_PROGRESS"] = "1"
        # An activated environment of the caller's must not become the target by mistake.
        for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME"):
            environment.pop(name, None)
        try:
            uv = find_uv_bin()
        except FileNotFoundError as error:
            raise EnvironmentFailure("uv is not installed beside syncbot: run `pip install uv`") from error
        cache.mkdir(parents=True, exist_ok=True)
        return cls(uv, environment, cache)

    @property
    def sources(self) -> tuple[tuple[str, str], ...]:
        """What of the configuration decides which build of a package is taken (part of a recipe)."""
        return package_sources(self.environment)

    def create(self, venv: Path, log: Path) -> Path:
        """Make an empty environment on syncbot's Python that may be renamed; returns its interpreter."""
        command = ["venv", "--relocatable", "--python", sys.executable, str(venv)]
        self._uv(command, log, "an environment")
        return venv / "bin" / "python"

    def install(self, python: Path, requirements: Sequence[str], overrides: Sequence[str], log: Path) -> None:
        """Install ``requirements``; ``overrides`` win. Raises EnvironmentFailure in the resolver's words."""
        if not requirements:
            return
        command = ["pip", "install", "--python", str(python), *requirements]
        if overrides:
            chosen = log.with_name(f"{log.stem}.overrides.txt")
            chosen.parent.mkdir(parents=True, exist_ok=True)
            chosen.write_text("\n".join(overrides) + "\n", encoding="utf-8")
            command += ["--overrides", str(chosen)]
        self._uv(command, log, ", ".join(Path(each).name for each in requirements))

    def install_aside(self, python: Path, wheel: Path, site: Path, log: Path) -> None:
        """Install one wheel, without what it requires, into the folder ``site`` instead of an environment."""
        command = ["pip", "install", "--python", str(python), "--target", str(site), "--no-deps", str(wheel)]
        self._uv(command, log, wheel.name)

    def installed(self, python: Path, log: Path) -> tuple[str, ...]:
        """What is installed, as ``name==version`` lines, sorted."""
        log.unlink(missing_ok=True)
        self._uv(["pip", "freeze", "--python", str(python)], log, "the list of what is installed")
        lines = log.read_text(encoding="utf-8").splitlines()
        return tuple(sorted(line for line in lines if "==" in line or " @ " in line))

    def _uv(self, arguments: Sequence[str], log: Path, what: str) -> None:
        done = run([self.uv, *arguments], log, environment=self.environment, folder=self.folder)
        if done.code != 0:
            cause = _cause(tail(log))
            mend = "check the network and pip's index settings" if _is_network(cause) else "see the log"
            raise EnvironmentFailure(f"cannot install {what}: {cause} — {mend} ({log})")


def _cause(lines: Sequence[str]) -> str:
    """uv's complaint in one line: from its last line that opens an error to the end, boxes taken off."""
    opening = [number for number, line in enumerate(lines) if line.lstrip().startswith(("error:", _CROSS))]
    told = lines[opening[-1] :] if opening else lines[-3:]
    words = " ".join(" ".join(line.strip(f" {_CROSS}╰─▶│├") for line in told).split())
    return words if len(words) <= _LONGEST_CAUSE else words[: _LONGEST_CAUSE - 1] + "…"


def _is_network(cause: str) -> bool:
    return any(sign in cause.lower() for sign in _UNREACHABLE)
