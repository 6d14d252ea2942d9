"""Writing into somebody's working tree: only a clean one, and all files or none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from syncbot import atomic
from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.upstream.git_command import Access, GitCommand
from syncbot.upstream.git_repository import linked_git_dir


class Worktree:
    """The files below a folder, usually of a git repository."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._top, self._git_dir = repository_around(self.root)
        self._journal = (self._git_dir or self.root) / ".syncbot-apply"
        self._transaction = atomic.Transaction(self.root, self._journal)
        self._allowed = False

    def begin(self, allow_dirty: bool) -> None:
        """Finish a killed run; then refuse a tree with uncommitted changes, or without git, unless allowed.
        Raises UsageError, EnvironmentFailure."""
        self._transaction.recover()
        self._allowed = allow_dirty
        if allow_dirty:
            return
        mend = "or pass --allow-dirty"
        if self._git_dir is None:
            raise UsageError(
                f"{self.root} is in no git repository, so nothing could be undone: put it into one, {mend}"
            )
        entries = self._git("status", "--porcelain", "-z", "--untracked-files=no")
        changed = [entry[3:] for entry in entries if entry[2:3] == " "]
        if changed:
            more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
            raise UsageError(
                f"{self._top} has changes that are not committed ({changed[0]}{more}): commit them, {mend}"
            )

    def write(self, texts: Mapping[str, str]) -> None:
        """Replace files (paths relative to the folder), all or none; an error or Ctrl-C puts back what stood
        there. Raises EnvironmentFailure; UsageError for files that git could not bring back."""
        targets = {(self.root / path).resolve(): text.encode() for path, text in texts.items()}
        outside = [path for path in targets if not path.is_relative_to(self.root)]
        if outside:
            raise UsageError(f"{outside[0]} is outside {self.root}: only files below it are rewritten")
        untracked = self._untracked(targets)
        if untracked:
            more = f" and {len(untracked) - 1} more" if len(untracked) > 1 else ""
            raise UsageError(
                f"git does not track {untracked[0]}{more}, so it could not be undone: add and commit what is "
                "to be rewritten, or pass --allow-dirty"
            )
        try:
            before = {path: (path.read_bytes(), path.stat().st_mode) for path in targets}
        except OSError as error:
            raise EnvironmentFailure(f"cannot read {error.filename}: {error.strerror}") from error
        try:
            self._transaction.commit(
                {path.relative_to(self.root).as_posix(): content for path, content in targets.items()}
            )
        except BaseException:
            atomic.remove(self._journal)
            for path, (content, mode) in before.items():
                if path.read_bytes() != content:
                    atomic.write_file(path, content)
                    path.chmod(mode & 0o7777)
            raise

    def _untracked(self, targets: Iterable[Path]) -> list[Path]:
        """The files that git could not bring back; none where that is allowed."""
        wanted = sorted(targets)
        if self._allowed or self._git_dir is None or not wanted:
            return []
        tracked = {self._top / path for path in self._git("ls-files", "-z", "--full-name", ":/")}
        return [path for path in wanted if path not in tracked]

    def _git(self, *arguments: str) -> list[str]:
        """Return git's output about the tree, split at its NUL characters."""
        assert self._git_dir is not None
        output = GitCommand(self._git_dir).run(f"--work-tree={self._top}", *arguments)
        return output.decode("utf-8", "surrogateescape").split("\0")


def uncommitted(root: Path) -> list[Path] | None:
    """The changed and new files around a folder; None outside of git. Raises EnvironmentFailure."""
    top, git_dir = repository_around(root.resolve())
    if git_dir is None:
        return None
    options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none")
    output = GitCommand(git_dir, Access.OWN).run(f"--work-tree={top}", "status", *options)
    return [top / os.fsdecode(record[3:]) for record in output.split(b"\0") if record]


def below_repository(folder: Path) -> str:
    """The path of a folder below the top of its repository, with a slash at the end; empty for the top.
    Raises UsageError for a ``.git`` file that leads nowhere."""
    inside = folder.resolve()
    path = inside.relative_to(repository_around(inside)[0]).as_posix()
    return "" if path == "." else f"{path}/"


def repository_around(folder: Path) -> tuple[Path, Path | None]:
    """The top folder of the repository around a folder and its git directory; None where there is none.
    Raises UsageError for a ``.git`` file that leads nowhere."""
    for top in (folder, *folder.parents):
        mark = top / ".git"
        if mark.is_dir():
            return top, mark
        if mark.is_file():
            return top, linked_git_dir(mark)
    return folder, None
