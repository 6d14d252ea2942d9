"""The environment of one end: a release of upstream with what the backend and its tests need."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from syncbot.errors import EnvironmentFailure
from syncbot.project_metadata.installed_with import InstalledWith
from syncbot.upstream.model import Meter, no_meter, step
from syncbot.verify.installer import Installer
from syncbot.verify.once_made_folders import made_once

_MARKER = "environment.json"
#: Raised whenever environments are put together in another way.
_LAYOUT = 2
#: Runs the tests; tells which lines they execute.
_RUNNER, _MEASURER = "pytest", "coverage"
_UNREACHED = "check the network"
# An install compiles only what it installs itself, and what nobody compiled, each process of tests would.
_COMPILED = "--compile-bytecode"


class NotInstallable(EnvironmentFailure):
    """A release cannot be installed with what the project needs, not even with less of it."""


@dataclass(frozen=True, slots=True)
class Installed:
    """An installed environment: its folder, the digest of what was asked for, what is installed in it as
    ``name==version``, and what of the backend's wishes was set aside so that it could be."""

    folder: Path
    digest: str
    packages: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def python(self) -> Path:
        """The interpreter of the environment."""
        return self.folder / "bin" / "python"

    @property
    def site(self) -> Path:
        """The folder with the installed packages."""
        return next((self.folder / "lib").glob("python3*")) / "site-packages"

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions by canonical names."""
        pairs = (each.partition("==") for each in self.packages if "==" in each)
        return {canonicalize_name(name): version for name, _, version in pairs}


def installed(
    distribution: str,
    version: str,
    wanted: InstalledWith,
    like: Installed | None,
    installer: Installer,
    cache: Path,
    meter: Meter = no_meter,
) -> Installed:
    """The environment with that release, which wins over every other wish for it, installed if need be; all
    else is as in ``like`` where the release permits that. Raises NotInstallable, and EnvironmentFailure."""
    # What the plugin says of upstream itself does not count: both ends are to be run.
    wanted = InstalledWith(*(_of_others(several, distribution) for several in (wanted.runtime, wanted.tests)))
    asked = {
        "layout": _LAYOUT,
        "release": f"{canonicalize_name(distribution)}=={version}",
        "python": platform.python_version(),
        "runtime": sorted(map(str, wanted.runtime)),
        "tests": sorted(map(str, wanted.tests)),
        "like": like.digest if like is not None else None,
        "sources": sorted(installer.sources),
    }
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    target = cache / "running" / "environments" / f"{canonicalize_name(distribution)}-{version}-{digest[:12]}"

    def find() -> Installed | None:
        try:
            marker = json.loads((target / _MARKER).read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError):
            return None
        if marker.get("digest") != digest or not (target / "bin" / "python").exists():
            return None
        return Installed(target, digest, tuple(marker["packages"]), tuple(marker["notes"]))

    def make(scratch: Path) -> Path:
        made = scratch / "made"
        log = cache / "logs" / f"run-{target.name}.log"
        log.unlink(missing_ok=True)
        with step(meter, f"{distribution} {version}: install"):
            notes = _install(made, f"{distribution}=={version}", wanted, like, installer, log)
        packages = installer.installed(made / "bin" / "python", scratch / "packages")
        marker = {"digest": digest, "packages": packages, "notes": notes}
        (made / _MARKER).write_text(json.dumps(marker, indent=1) + "\n", encoding="utf-8")
        return made

    return made_once(target, find, make, meter)


def _install(
    made: Path, release: str, wanted: InstalledWith, like: Installed | None, installer: Installer, log: Path
) -> tuple[str, ...]:
    """Install what is wanted, with less and less of it where it does not go together; what was left out."""
    runtime, tests = list(map(str, wanted.runtime)), list(map(str, wanted.tests))
    loose, loose_tests = _loose(wanted.runtime), _loose(wanted.tests)
    attempts = [
        ([*runtime, *tests, _MEASURER], ()),
        ([*runtime, *tests], ("nobody tells which lines tests execute",)),
        ([*runtime, *loose_tests, _MEASURER], ("the versions that its tests ask for were not installed",)),
        ([*runtime, _MEASURER], ("what only its tests ask for was not installed",)),
        (
            [*loose, *loose_tests, _MEASURER],
            ("the versions that the plugin and its tests ask for were not installed, but the nearest ones",),
        ),
        (
            [*loose, _MEASURER],
            ("the versions that the plugin asks for were not installed, nor what only its tests ask for",),
        ),
    ]
    done: list[list[str]] = []
    first: EnvironmentFailure | None = None
    for requirements, notes in attempts:
        if requirements in done:
            continue
        done.append(requirements)
        try:
            _attempt(made, release, requirements, (), like, installer, log)
        except EnvironmentFailure as error:
            if _UNREACHED in str(error):
                raise
            first = first or error
        else:
            return notes
    try:
        _attempt(made, release, [*runtime, *tests], (release,), like, installer, log)
    except EnvironmentFailure as error:
        if _UNREACHED in str(error):
            raise
        raise _refusal(made, release, first or error, installer, log) from error
    return ("other packages ask for another version of it",)


def _refusal(
    made: Path, release: str, error: EnvironmentFailure, installer: Installer, log: Path
) -> NotInstallable:
    """Why a release cannot be installed: what it lacks itself, else that it does not go together."""
    try:
        _attempt(made, release, (), (), None, installer, log)
    except EnvironmentFailure as alone:
        error = alone
    # Without the log, whose path is of this machine.
    return NotInstallable(str(error).partition(" — ")[0])


def _attempt(
    made: Path,
    release: str,
    requirements: Sequence[str],
    overrides: Sequence[str],
    like: Installed | None,
    installer: Installer,
    log: Path,
) -> None:
    if not (made / "bin" / "python").exists():
        installer.create(made, log)
        if like is not None:
            # What is there already is kept, where the release goes with it.
            upstream = canonicalize_name(release.partition("==")[0])
            kept = [f"{name}=={version}" for name, version in like.versions.items() if name != upstream]
            installer.install(made / "bin" / "python", ["--no-deps", _COMPILED, *kept], (), log)
    wanted = [_COMPILED, release, *requirements, _RUNNER]
    installer.install(made / "bin" / "python", wanted, overrides, log)


def _of_others(requirements: Sequence[Requirement], distribution: str) -> tuple[Requirement, ...]:
    named = canonicalize_name(distribution)
    return tuple(each for each in requirements if canonicalize_name(each.name) != named)


def _loose(requirements: Sequence[Requirement]) -> list[str]:
    """Requirements without versions."""
    return [
        each.name + (f"[{','.join(sorted(each.extras))}]" if each.extras else "") for each in requirements
    ]
