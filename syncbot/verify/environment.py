"""The environment of a lane: an upstream release with its pinned stack, installed once for each recipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.upstream.model import Meter, no_meter, step
from syncbot.verify.installer import Installer
from syncbot.verify.lane_lock import LaneLock, parse, this_system
from syncbot.verify.once_made_folders import made_once
from syncbot.verify.recipe import Recipe
from syncbot.verify.upstream_wheel import BUILT_WITH, pins_of, upstream_wheel

_MARKER, _LOCK = "environment.json", "lock.txt"
#: Runs cannot write there, and each would compile all again.
_COMPILED = ("--compile-bytecode",)


@dataclass(frozen=True, slots=True)
class Environment:
    """An installed environment: its folder, the digest of its recipe, and what is installed in it."""

    folder: Path
    digest: str
    installed: tuple[str, ...]
    lock: LaneLock | None = None

    @property
    def python(self) -> Path:
        """The interpreter of the environment."""
        return self.folder / "bin" / "python"


def find(recipe: Recipe, cache: Path) -> Environment | None:
    """The environment of ``recipe`` if it is installed, else None. Installs nothing."""
    folder = _folder(recipe, cache)
    try:
        marker = json.loads((folder / _MARKER).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    if marker.get("digest") != recipe.digest or not (folder / "bin" / "python").exists():
        # The interpreter that it was made with may have been removed since.
        return None
    installed = tuple(marker["installed"])
    if recipe.lock is not None and not _holds(recipe.lock, marker, installed):
        return None
    return Environment(folder, recipe.digest, installed, _lock(recipe, folder))


def ensure(
    recipe: Recipe,
    sdist: Callable[[], Path],
    installer: Installer,
    cache: Path,
    meter: Meter = no_meter,
) -> Environment:
    """The environment of ``recipe``, installed if need be; only then is ``sdist`` called. Two that ask at
    once make one. Raises EnvironmentFailure."""
    return made_once(
        _folder(recipe, cache),
        lambda: find(recipe, cache),
        lambda folder: _install(recipe, sdist, installer, cache, folder, meter),
        meter,
    )


def locked(
    recipe: Recipe,
    sdist: Callable[[], Path],
    installer: Installer,
    cache: Path,
    meter: Meter = no_meter,
) -> LaneLock | None:
    """Return the lock that ``ensure`` would make, with upstream built and the environment not installed; None
    where no record names the packages that built upstream. Raises EnvironmentFailure."""
    found = find(recipe, cache)
    if found is not None and found.lock is not None:
        return found.lock
    log = cache / "logs" / f"{recipe.name}.log"
    wheel = _built(recipe, sdist, installer, cache, meter)
    with step(meter, f"{recipe.distribution} {recipe.version}: lock"):
        chosen = installer.resolved(wheel, [*recipe.pins, *recipe.requires], log)
        return _locked(recipe, wheel, chosen, Path(sys.executable), installer, log)


def _built(
    recipe: Recipe, sdist: Callable[[], Path], installer: Installer, cache: Path, meter: Meter
) -> Path:
    """The wheel of upstream."""
    release = f"{recipe.distribution} {recipe.version}"
    with step(meter, f"{release}: source distribution"):
        source = sdist()
    with step(meter, f"{release}: build"):
        return upstream_wheel(recipe, source, installer, cache)


def _install(
    recipe: Recipe,
    sdist: Callable[[], Path],
    installer: Installer,
    cache: Path,
    folder: Path,
    meter: Meter,
) -> Path:
    log = cache / "logs" / f"{recipe.name}.log"
    log.unlink(missing_ok=True)
    wheel = _built(recipe, sdist, installer, cache, meter)
    with step(meter, f"{recipe.distribution} {recipe.version}: install"):
        made = folder / "made"
        python = installer.create(made, log)
        if recipe.lock is not None:
            installer.install_locked(python, recipe.lock.run, log, *_COMPILED)
            installer.install(python, ["--no-deps", *_COMPILED, str(wheel)], (), log)
        else:
            installer.install(python, [*_COMPILED, str(wheel), *recipe.pins, *recipe.requires], (), log)
        installed = installer.installed(python, folder / "installed")
        lock = recipe.lock or _locked(recipe, wheel, installed, python, installer, log)
    marker: dict[str, object] = {"digest": recipe.digest, "installed": installed}
    if lock is not None:
        marker["lock"] = lock.content
        (made / _LOCK).write_text(str(lock), encoding="utf-8")
    (made / _MARKER).write_text(json.dumps(marker, indent=1) + "\n", encoding="utf-8")
    return made


def _locked(
    recipe: Recipe, wheel: Path, installed: Sequence[str], python: Path, installer: Installer, log: Path
) -> LaneLock | None:
    """The lock of what was installed; None where nobody noted what the wheel was built with."""
    noted = wheel.with_name(BUILT_WITH)
    if not noted.exists() and recipe.published is None:
        return None
    built = noted.read_text(encoding="utf-8").split() if noted.exists() else []
    texts = [installer.locked(python, pins, log) for pins in (built, pins_of(installed))]
    return LaneLock(this_system(), recipe.wanted_digest, recipe.digest, *texts)


def _holds(lock: LaneLock, marker: Mapping[str, object], installed: Sequence[str]) -> bool:
    """Whether an environment is that of a lock; one that was made without any may hold the same."""
    if "lock" in marker:
        return marker["lock"] == lock.content
    return lock.pins == frozenset(pins_of(installed))


def _lock(recipe: Recipe, folder: Path) -> LaneLock | None:
    if recipe.lock is not None or not (folder / _LOCK).exists():
        return recipe.lock
    return parse((folder / _LOCK).read_text(encoding="utf-8"), str(folder / _LOCK))


def _folder(recipe: Recipe, cache: Path) -> Path:
    return cache / "environments" / recipe.name
