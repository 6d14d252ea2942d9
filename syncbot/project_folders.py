"""The folders of projects, out of which no link may lead what is written, removed or run. A repository may
hold links, and somebody else may have made it. Each project that is configured is known here, so that one
question at the bottom of all writing suffices."""

from __future__ import annotations

import os
from pathlib import Path

from syncbot.errors import UsageError

_KNOWN: set[Path] = set()


def know(root: Path) -> None:
    """Take a folder for that of a project from now on."""
    _KNOWN.update((Path(os.path.abspath(root)), root.resolve()))


def known_projects() -> list[Path]:
    """Return the folders of all projects that are known."""
    return sorted(_KNOWN)


def refuse_link_out(path: Path) -> None:
    """Raise UsageError where a path is named below a project, and links lead it elsewhere."""
    named = Path(os.path.abspath(path))
    for root in (*reversed(named.parents), named):
        if root not in _KNOWN:
            continue
        real = Path(os.path.realpath(named))
        if not real.is_relative_to(os.path.realpath(root)):
            parts = named.relative_to(root).parts
            steps = (root.joinpath(*parts[: number + 1]) for number in range(len(parts)))
            link = next((step for step in steps if step.is_symlink()), named)
            raise UsageError(f"{link} leads out of {root}, to {real}: remove the link")
