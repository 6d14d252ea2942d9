"""Making the bare repositories of the cache, and mending those whose maker was killed."""

from __future__ import annotations

import shutil
import time

from syncbot.errors import EnvironmentFailure
from syncbot.upstream.git_command import GitCommand

_DAY = 86400


def prepare(git: GitCommand) -> None:
    """Make or mend the repository, whose lock the caller holds. Raises EnvironmentFailure."""
    git_dir = git.git_dir
    try:
        if not git_dir.exists():
            _make(git)
        # Only a process that holds our lock changes references, so these are a dead one's.
        for stale in [*git_dir.glob("*.lock"), *(git_dir / "refs").rglob("*.lock")]:
            stale.unlink(missing_ok=True)
        # Readers fetch blobs without the lock; a day is longer than any of them takes.
        for rest in (git_dir / "objects" / "pack").glob("tmp_*"):
            if time.time() - rest.stat().st_mtime > _DAY:
                rest.unlink(missing_ok=True)
    except OSError as error:
        raise EnvironmentFailure(f"{error.filename} cannot be written: {error.strerror}") from error
    # On an existing repository, init only adds what is missing.
    git.run("init", "--bare", "--quiet", "--template=", str(git_dir))
    if git.attempt("rev-parse", "--git-dir").returncode:
        raise EnvironmentFailure(f"{git_dir} is damaged: remove it, and it is made again")


def _make(git: GitCommand) -> None:
    """Make the repository under another name first: readers without the lock never see half of one."""
    begun = git.git_dir.with_suffix(".new")
    if begun.exists():
        shutil.rmtree(begun)
    begun.mkdir(mode=0o700, parents=True)
    GitCommand(begun, git.access).run("init", "--bare", "--quiet", "--template=", str(begun))
    begun.rename(git.git_dir)
