"""The environment of a lane: an upstream release with its pinned stack, installed once for each recipe."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from syncbot.upstream.model import Meter, no_meter, step
from syncbot.verify.installer import Installer
from syncbot.verify.once_made_folders import made_once
from syncbot.verify.recipe import Recipe
from syncbot.verify.upstream_wheel import upstream_wheel

_MARKER = "environment.json"


@dataclass(frozen=True, slots=True)
class Environment:
    """An installed environment: its folder, the digest of its recipe, and what is installed in it."""

    folder: Path
    digest: str
    installed: tuple[str, ...]

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
    return Environment(folder, recipe.digest, tuple(marker["installed"]))


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
    release = f"{recipe.distribution} {recipe.version}"
    with step(meter, f"{release}: source distribution"):
        source = sdist()
    with step(meter, f"{release}: build"):
        wheel = upstream_wheel(recipe, source, installer, cache)
    with step(meter, f"{release}: install"):
        made = folder / "made"
        python = installer.create(made, log)
        installer.install(python, [str(wheel), *recipe.pins, *recipe.requires], (), log)
        installed = installer.installed(python, folder / "installed")
    marker = {"digest": recipe.digest, "installed": installed}
    (made / _MARKER).write_text(json.dumps(marker, indent=1) + "\n", encoding="utf-8")
    return made


def _folder(recipe: Recipe, cache: Path) -> Path:
    return cache / "environments" / recipe.name
