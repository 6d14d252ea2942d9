"""The type checkers there are: every module of ``checkers`` registers its own."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from shutil import which

from syncbot.errors import ConfigurationError
from syncbot.package_modules import import_all
from syncbot.typecheck.model import Engine

_CHECKERS = "syncbot.typecheck.checkers"
_known: dict[str, Engine] = {}


def register(engine: Engine) -> Engine:
    """Make an engine known under its name."""
    _known[engine.name] = engine
    return engine


def names() -> tuple[str, ...]:
    """The names of all engines, which are those of their modules."""
    checkers = importlib.import_module(_CHECKERS).__path__
    return tuple(sorted(module.name for module in pkgutil.iter_modules(checkers)))


def find(names: Sequence[str] | None = None) -> tuple[Engine, ...]:
    """The engines of these names, or all, installed or not. Raises ConfigurationError for an unknown one."""
    import_all(_CHECKERS)
    if names is None:
        return tuple(_known[name] for name in sorted(_known))
    for name in names:
        if name not in _known:
            raise ConfigurationError(
                f"there is no type checker {name!r}: choose among {', '.join(sorted(_known))}"
            )
    return tuple(_known[name] for name in names)


def executable(name: str) -> str | None:
    """Where a checker's program is: beside this Python first, then on PATH."""
    for folder in (Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))):
        if (folder / name).is_file():
            return str(folder / name)
    return which(name)
