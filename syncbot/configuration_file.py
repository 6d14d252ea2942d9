"""Where a project's configuration is: ``[tool.syncbot]`` of its ``pyproject.toml``, a ``syncbot.toml``
that has the same tables without that prefix, or a file that was chosen, which may lie outside the project."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from syncbot.errors import ConfigurationError
from syncbot.limits import document_text

_TABLE = "tool.syncbot"
_CHOSEN: ContextVar[Path | None] = ContextVar("chosen configuration file", default=None)


@dataclass(frozen=True, slots=True)
class ConfigurationFile:
    """A file, where there is one, with its table. ``name`` is what the table is called in that file, empty
    for the document itself. Paths in it are relative to ``root``. ``chosen`` says that somebody named it."""

    file: Path
    name: str
    root: Path
    table: Mapping[str, Any]
    chosen: bool = False

    def named(self, *keys: str | int) -> str:
        """A key, or a table, as it is called in the file."""
        return ".".join([*([self.name] if self.name else []), *map(str, keys)])


def parsed_toml(text: str) -> dict[str, Any]:
    """Return the document in a TOML text. Raises ValueError with the reason where there is none."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


@contextmanager
def configured_by(file: Path | None) -> Iterator[None]:
    """Within it, this file configures every project; None stands for the project's own."""
    token = _CHOSEN.set(file)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def chosen_file() -> Path | None:
    """The file that configures every project now, if one was chosen."""
    return _CHOSEN.get()


def configuration_file(folder: Path) -> ConfigurationFile:
    """The configuration of the project in a folder. Raises ConfigurationError: the folder is none, a file
    is none or no TOML, or two of them configure the project."""
    if not folder.is_dir():
        raise ConfigurationError(f"{folder} is not a folder: give the root of the backend's repository")
    chosen = _CHOSEN.get()
    if chosen is not None:
        if not chosen.is_file():
            raise ConfigurationError(f"{chosen} is no file: --config names a file such as syncbot.toml")
        return _read(chosen, chosen.name == "pyproject.toml", chosen=True)
    shared, own = folder / "pyproject.toml", folder / "syncbot.toml"
    found = _read(shared, True)
    if not own.exists():
        return found
    if found.table:
        raise ConfigurationError(
            f"{shared} has [{_TABLE}] and {own} is beside it: keep one of them, or choose with --config"
        )
    return _read(own, False)


def _read(file: Path, shared: bool, chosen: bool = False) -> ConfigurationFile:
    """The table of a file; an empty one where the file is not there."""
    try:
        document = parsed_toml(document_text(file))
    except FileNotFoundError:
        document = {}
    except ValueError as error:
        raise ConfigurationError(f"{file} is not valid TOML: {error}") from error
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error
    tool = document.get("tool", {}) if shared else {"syncbot": document}
    table = tool.get("syncbot", {}) if isinstance(tool, dict) else tool
    if not isinstance(table, dict):
        raise ConfigurationError(f"{file}: [{_TABLE}] must be a table")
    return ConfigurationFile(file, _TABLE if shared else "", file.parent, table, chosen)
