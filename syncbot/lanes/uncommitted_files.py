"""What of a backend's repository is not committed."""

from __future__ import annotations

from pathlib import Path

from syncbot.errors import UsageError
from syncbot.upstream.git_command import Access, GitCommand
from syncbot.upstream.git_mirror import local_git_dir


def uncommitted(root: Path) -> list[Path] | None:
    """Return the files around ``root`` that git would show as changed or untracked, ignored ones left out;
    None where no git repository holds the folder.

    Raises EnvironmentFailure when git fails.
    """
    for top in (root.absolute(), *root.absolute().parents):
        if (top / ".git").exists():
            break
    else:
        return None
    try:
        git = GitCommand(local_git_dir(top), Access.OWN)
    except UsageError:
        return None
    options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none")
    shown = git.run("status", *options, environment={"GIT_WORK_TREE": str(top)})
    records = shown.decode("utf-8", "surrogateescape").split("\0")
    return [top / record[3:] for record in records if record]
