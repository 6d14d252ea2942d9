"""Folders of the cache that are made once: complete or absent, also with several processes or a kill."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from syncbot.errors import EnvironmentFailure
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.process_lock import held

Found = TypeVar("Found")


def made_once(
    target: Path,
    look: Callable[[], Found | None],
    make: Callable[[Path], Path],
    meter: Meter = no_meter,
) -> Found:
    """Return the result of ``look`` for ``target``; if it finds nothing, make it first, while others wait.
    ``make`` gets an empty folder and returns one in it, which is renamed. Raises EnvironmentFailure, and the
    errors of ``make``; ``target`` is then as it was."""
    found = look()
    if found is not None:
        return found
    try:
        with held(target.with_name(f"{target.name}.lock"), meter):
            return look() or _make(target, look, make)
    except OSError as error:
        where = error.filename or target
        raise EnvironmentFailure(f"cannot make {target}: {error.strerror or error} ({where})") from error


def _make(target: Path, look: Callable[[], Found | None], make: Callable[[Path], Path]) -> Found:
    prefix = f".building-{target.name}-"
    # Every attempt has a name of its own: a child of a killed process may still be writing in the last.
    for leftover in target.parent.glob(f"{prefix}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=target.parent, ignore_cleanup_errors=True) as folder:
        made = make(Path(folder))
        shutil.rmtree(target, ignore_errors=True)
        made.rename(target)
    found = look()
    if found is None:
        raise EnvironmentFailure(f"{target} is not complete although it was just made: is the disk full?")
    return found
