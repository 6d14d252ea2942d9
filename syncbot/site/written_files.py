"""Writing a site into its folder: as a whole, and never over files that somebody else made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from syncbot import atomic
from syncbot.errors import EnvironmentFailure, UsageError

#: Lists the files of a site, and by that says who made them.
MARKER = ".syncbot-site.json"


def check(folder: Path) -> None:
    """Raises UsageError for a folder that holds more than a site, EnvironmentFailure if unreadable."""
    if not folder.exists() and not folder.is_symlink():
        return
    if folder.is_symlink() or not folder.is_dir():
        raise UsageError(f"{folder} is no folder: name another one with --output")
    try:
        there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    except OSError as error:
        raise EnvironmentFailure(f"{folder} cannot be read: {error.strerror or error}") from error
    strange = sorted(there - _made(folder) - {MARKER})
    if strange:
        raise UsageError(
            f"{folder} holds {strange[0]}, which 'syncbot site' did not make: move it away, or name another "
            "folder with --output"
        )


def put(folder: Path, files: Mapping[str, bytes]) -> None:
    """Replace a folder by a site of these files, whole or not at all. Raises as :func:`check` does."""
    check(folder)
    atomic.clear_leftovers(folder)
    note = json.dumps({"files": sorted(files)}, indent=1) + "\n"
    atomic.write_folder(folder, {**files, MARKER: note.encode()})


def _made(folder: Path) -> set[str]:
    try:
        listed = json.loads((folder / MARKER).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {str(name) for name in listed} if isinstance(listed, list) else set()
