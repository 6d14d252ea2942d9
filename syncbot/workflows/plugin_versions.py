"""Reads the upstream versions that a plugin's tagged versions name, without a checkout of its repository."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from syncbot.errors import SyncbotError
from syncbot.project_metadata.followed import Pin, pins
from syncbot.upstream.git_command import Access
from syncbot.upstream.git_repository import GitRepository, is_git_dir, linked_git_dir

# The files in which a project names versions: see project_metadata.followed.
_FILES = re.compile(
    r"[^/]*|requirements/[^/]*\.(?:txt|in)|docker/.*|\.github/[^/]*|\.github/workflows/[^/]*\.ya?ml"
    r"|scripts/[^/]*\.sh|\.ci/.*|docs/(?:.*/)?conf\.py"
)
_MOST_TAGS = 200


def pins_by_version(root: Path, upstream: str) -> dict[str, tuple[Pin, ...]]:
    """Return the tags of a project's repository that are versions, oldest first, each with what its files
    name of a distribution; nothing where there is no repository, or it cannot be read."""
    git_dir = _git_dir(root)
    if git_dir is None:
        return {}
    found: dict[str, tuple[Pin, ...]] = {}
    try:
        with GitRepository(git_dir, Access.FOREIGN) as repository:
            for _, tag in repository.version_tags()[-_MOST_TAGS:]:
                found[tag] = _pins_at(repository, tag, upstream)
    except SyncbotError:
        return found
    return found


def _git_dir(root: Path) -> Path | None:
    mark = root / ".git"
    if mark.is_file():
        return linked_git_dir(mark)
    return next((folder for folder in (mark, root) if folder.is_dir() and is_git_dir(folder)), None)


def _pins_at(repository: GitRepository, tag: str, upstream: str) -> tuple[Pin, ...]:
    tree = repository.tree(repository.resolve(f"refs/tags/{tag}"))
    wanted = {
        entry.blob: path for path, entry in tree.items() if _FILES.fullmatch(path) and entry.mode[:3] == "100"
    }
    with tempfile.TemporaryDirectory(prefix="syncbot-") as folder:
        for blob, text in repository.blobs(wanted):
            file = Path(folder) / wanted[blob]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text)
        return pins(Path(folder), upstream)
