"""pytest and its plugins, as a project asks for them, beside a lane's environment."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.utils import canonicalize_name

from syncbot.project_metadata.requirements import needed
from syncbot.verify.environment import Environment
from syncbot.verify.installer import Installer
from syncbot.verify.once_made_folders import made_once

_OF_PYTEST = re.compile(r"pytest(-.+)?")
_INSTALLED = "installed.json"


@dataclass(frozen=True, slots=True)
class Tools:
    """A folder with what tests need, and what it holds, as ``name==version``."""

    folder: Path
    installed: tuple[str, ...]


def tools(
    root: Path, further: Sequence[str], environment: Environment, installer: Installer, cache: Path
) -> Tools:
    """The tools that a project's files ask for, and ``further`` requirements, installed once; what the
    environment has as well is left out. Raises EnvironmentFailure."""
    wanted = requirements(root, further)
    facts = [wanted, environment.digest, list(environment.installed)]
    digest = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    target = cache / "test_tools" / digest[:16]

    def look() -> Tools | None:
        try:
            return Tools(target, tuple(json.loads((target / _INSTALLED).read_text(encoding="utf-8"))))
        except (OSError, ValueError):
            return None

    def make(folder: Path) -> Path:
        made = folder / "made"
        log = cache / "logs" / f"test-tools-{digest[:12]}.log"
        log.unlink(missing_ok=True)
        installer.install_beside(environment.python, wanted, made, log)
        has = {canonicalize_name(re.split("==| @ ", line)[0]) for line in environment.installed}
        installed = []
        for each in sorted(metadata.distributions(path=[str(made)]), key=lambda found: found.name):
            if canonicalize_name(each.name) in has:
                _remove(each, made)
            else:
                installed.append(f"{canonicalize_name(each.name)}=={each.version}")
        (made / _INSTALLED).write_text(json.dumps(installed), encoding="utf-8")
        return made

    return made_once(target, look, make)


def _remove(distribution: metadata.Distribution, folder: Path) -> None:
    """Remove a distribution and the folders that it leaves empty: one without a version would be found."""
    for file in distribution.files or ():
        Path(str(file.locate())).unlink(missing_ok=True)
    for inner, _, _ in os.walk(folder, topdown=False):
        with suppress(OSError):
            os.rmdir(inner)


def requirements(root: Path, further: Sequence[str]) -> list[str]:
    """pytest and each plugin of it that a project's files name, with all that they ask of its version."""
    asked: dict[str, set[str]] = {"pytest": set()}
    for need in needed(root):
        if _OF_PYTEST.fullmatch(need.name):
            asked.setdefault(need.name, set()).update(map(str, need.specifier))
    return [f"{name}{','.join(sorted(specifiers))}" for name, specifiers in sorted(asked.items())] + [
        *further
    ]
