"""The model of an upstream for the rest of syncbot: commits, the files they change, blobs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FileChange:
    """One entry of ``git log --raw -M``; ``status`` is git's letter. An added file has no old path and blob,
    a deleted one no new ones."""

    status: str
    old_path: str | None
    new_path: str | None
    old_blob: str | None
    new_blob: str | None


@dataclass(frozen=True, slots=True)
class Commit:
    """One upstream change. ``date`` is the committer's, with its own UTC offset."""

    sha: str
    parents: tuple[str, ...]
    date: datetime
    author: str
    subject: str
    body: str
    pr: int | None
    files: tuple[FileChange, ...]

    @property
    def paths(self) -> set[str]:
        """The paths that it changes, old and new ones of renamed files alike."""
        return {path for file in self.files for path in (file.old_path, file.new_path) if path}


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One file of a tree: path, blob and mode as ``git ls-tree -r`` gives them."""

    path: str
    blob: str
    mode: str


class Meter(Protocol):
    """Takes the progress of a long step: its name, how much is done, and of how much (None: unknown)."""

    def __call__(self, step: str, done: int, total: int | None) -> None:
        """Take note."""


def no_meter(step: str, done: int, total: int | None) -> None:
    """A meter that shows nothing."""


@contextmanager
def step(meter: Meter, name: str) -> Iterator[None]:
    """Report a step of unknown length to ``meter``, from its start to its end."""
    meter(name, 0, None)
    yield
    meter(name, 1, 1)
