"""Files that a module makes for runs, such as a compiled device: made once and kept in the cache."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from syncbot.config import MadeOnce
from syncbot.errors import EnvironmentFailure
from syncbot.isolation.run_command import last_words, run
from syncbot.isolation.variables import few
from syncbot.upstream.model import Meter, no_meter, step
from syncbot.verify.environment import Environment
from syncbot.verify.installer import Installer
from syncbot.verify.once_made_folders import made_once
from syncbot.verify.simulate import Subject

_ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class OnceForRuns:
    """Makes what runs of a subject in an environment need, below ``cache``."""

    subject: Subject
    environment: Environment
    installer: Installer
    cache: Path
    meter: Meter = no_meter

    def folder(self, wanted: MadeOnce) -> Path:
        """The folder of what is wanted, made unless it is there: one process makes it, others wait. Lanes
        with the same of what it depends on share it. Raises EnvironmentFailure with the module's words."""
        digest = _digest(wanted, self.subject, self.environment)
        target = self.cache / "made_once" / f"{wanted.module}-{digest[:16]}"

        def look() -> Path | None:
            return target if target.is_dir() else None

        def make(folder: Path) -> Path:
            pins = [pin for pin in self.environment.installed if _named(pin, wanted)]
            with step(self.meter, " ".join([wanted.module, *pins])):
                return self._made(wanted, folder, self.cache / "logs" / f"{target.name}.log")

        return made_once(target, look, make, self.meter)

    def _made(self, wanted: MadeOnce, folder: Path, log: Path) -> Path:
        made, site, home = folder / "made", folder / "site", folder / "home"
        made.mkdir()
        log.unlink(missing_ok=True)
        python, wheels = self.environment.python, (self.subject.wheel, *self.subject.beside.wheels)
        self.installer.install_aside(python, wheels, site, log)
        done = run(
            [str(python), "-m", wanted.module, str(made)],
            log,
            environment=self.installer.of_foreign_code(home)
            | _wheels_read(wanted, self.subject)
            | {"PYTHONPATH": str(site)},
            folder=home,
            apart_in=folder,
            unchanged=[self.cache],
        )
        if done.code != 0:
            raise EnvironmentFailure(
                f"{wanted.module} ended with code {done.code}: {last_words(log)} ({log})"
            )
        return made


def _digest(wanted: MadeOnce, subject: Subject, environment: Environment) -> str:
    facts = {
        "module": wanted.module,
        "sources": sorted(_sources(wanted, subject).items()),
        "installed": sorted(pin for pin in environment.installed if _named(pin, wanted)),
        "python": _version([str(environment.python), "--version"]),
        "programs": [
            _version([os.environ.get(variable) or program, "--version"])
            for variable, program in sorted(wanted.programs.items())
        ],
    }
    read = [_file(path) for path in _wheels_read(wanted, subject).values()]
    return hashlib.sha256(json.dumps([facts, read] if read else facts, sort_keys=True).encode()).hexdigest()


def _wheels_read(wanted: MadeOnce, subject: Subject) -> dict[str, str]:
    """The paths of the wheels that the module reads, by their variables, without those that a lane lacks."""
    return {name: str(subject.wheels[name]) for name in wanted.wheels if name in subject.wheels}


def _file(path: str) -> tuple[str, int, int]:
    status = os.stat(path)
    return path, status.st_size, status.st_mtime_ns


def _named(pin: str, wanted: MadeOnce) -> bool:
    names = {canonicalize_name(name) for name in wanted.distributions}
    return canonicalize_name(pin.partition("==")[0].strip()) in names


def _sources(wanted: MadeOnce, subject: Subject) -> dict[str, str]:
    """The digests of the files in the wheels that the module makes it of."""
    found = {}
    for wheel in (subject.wheel, *subject.beside.wheels):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if any(Path(name).is_relative_to(source) for source in wanted.sources):
                    found[name] = hashlib.sha256(archive.read(name)).hexdigest()
    if not found:
        raise EnvironmentFailure(f"{wanted.module}: no wheel of the run has {', '.join(wanted.sources)}")
    return found


def _version(command: list[str]) -> str:
    """Return the first line that a version command prints, or ``absent`` if there is none."""
    if shutil.which(command[0]) is None:
        return _ABSENT
    asked = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=few(os.environ, None),
        stdin=subprocess.DEVNULL,
    )
    return (asked.stdout.splitlines() or [_ABSENT])[0].strip()
