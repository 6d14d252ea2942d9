"""What of a backend's repository is not committed."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from syncbot.errors import UsageError
from syncbot.upstream.writable_repository import WritableRepository


def uncommitted(root: Path) -> list[Path] | None:
    """Return files around ``root`` with changes; None outside of git. Raises EnvironmentFailure."""
    try:
        repository = WritableRepository(root)
    except UsageError:
        return None
    with closing(repository):
        options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none")
        records = repository.run("status", *options).split("\0")
        top = Path(repository.working_tree_dir or root)
        return [top / record[3:] for record in records if record]
