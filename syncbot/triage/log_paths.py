"""Paths in logs mapped to files of the upstream repository and of the backend, by their ends."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from syncbot.api.tree import package_roots
from syncbot.triage.model import Frame


@dataclass(frozen=True, slots=True)
class Place:
    """A frame in a known file: ``path`` is relative to its repository, ``ours`` means the backend's;
    ``statement`` is the whole one of the source, if what ran reads as the source does."""

    path: str
    ours: bool
    frame: Frame
    statement: ast.stmt | None = field(default=None, compare=False, repr=False)


class KnownFiles:
    """The files of one repository, found by paths of other machines, wheels and containers."""

    def __init__(self, paths: Iterable[str], packages: Sequence[str]) -> None:
        known = [path for path in paths if path.endswith((".py", ".pyi", ".pyx"))]
        roots = {root for root in package_roots(dict.fromkeys(known, ""), packages).values() if root}
        self._by_end: dict[str, str] = {}
        for path in known:
            self._by_end.setdefault(path, path)
            for root in roots:
                # An installed package stands where its source folder does not.
                if path.startswith(root):
                    self._by_end.setdefault(path.removeprefix(root), path)
        self._deepest = max((end.count("/") + 1 for end in self._by_end), default=0)

    def find(self, path: str) -> str | None:
        """The file whose path is the longest end of a path in a log; a name alone is not enough."""
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
        for start in range(max(0, len(parts) - self._deepest), len(parts)):
            end = "/".join(parts[start:])
            found = self._by_end.get(end)
            if found is not None and (start == 0 or len(parts) - start > 1):
                return found
        return None


@dataclass(frozen=True, slots=True)
class PathMap:
    """Both sides of a diagnosis: which frames are the backend's, which upstream's."""

    backend: KnownFiles
    upstream: KnownFiles

    def placed(self, frames: Iterable[Frame]) -> list[Place]:
        """The frames in files of either side, outermost first; all others are left out."""
        found = []
        for frame in frames:
            ours, theirs = self.backend.find(frame.path), self.upstream.find(frame.path)
            if ours is not None and theirs is not None:
                # Both have such a file: the longer end tells.
                ours, theirs = (ours, None) if len(ours) >= len(theirs) else (None, theirs)
            path = ours or theirs
            if path is not None:
                found.append(Place(path, ours is not None, frame))
        return found
