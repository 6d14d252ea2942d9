"""The history of some releases as a git repository of its own, with the objects of the store of all. A
question sees only the releases that it is about, so its answer does not depend on what else was imported."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp

from packaging.version import Version

from syncbot.errors import EnvironmentFailure
from syncbot.upstream.git_command import Access, GitCommand

_BRANCH = "refs/heads/releases"
#: Where a view says which release is the Nth before the newest.
LATEST = "refs/latest"


def view(store: Path, releases: Mapping[Version, str], latest: Mapping[int, Version]) -> Path:
    """The git directory of the history of ``releases`` (version → commit in ``store``): a tag for each, and
    each the child of the nearest older one. It is made once. Raises EnvironmentFailure."""
    ordered = sorted(releases.items())
    told = [f"{version} {sha}" for version, sha in ordered]
    told += [f"{back} {version}" for back, version in sorted(latest.items())]
    name = hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]
    made = store.with_suffix(".views") / f"{name}.git"
    if not (made / "HEAD").is_file():
        made.parent.mkdir(parents=True, exist_ok=True)
        part = Path(mkdtemp(prefix=".making-", dir=made.parent))
        try:
            _make(part, store, ordered, latest)
            part.rename(made)
        except OSError as error:
            # Another process may have been first: what it made is the same.
            if not (made / "HEAD").is_file():
                raise EnvironmentFailure(f"{made} cannot be made: {error.strerror}") from error
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return made


def _make(
    folder: Path, store: Path, ordered: list[tuple[Version, str]], latest: Mapping[int, Version]
) -> None:
    git = GitCommand(folder, Access.OWN)
    git.run("init", "--bare", "--quiet", "--template=", str(folder))
    alternates = folder / "objects" / "info" / "alternates"
    alternates.parent.mkdir(exist_ok=True)
    # Relative, so that a cache can be moved.
    alternates.write_text(os.path.relpath(store / "objects", folder / "objects") + "\n")
    commits = dict(ordered)
    updates = [f"create refs/tags/v{version} {sha}\n" for version, sha in ordered]
    updates += [f"create {LATEST}/{back} {commits[version]}\n" for back, version in sorted(latest.items())]
    updates.append(f"create {_BRANCH} {ordered[-1][1]}\n")
    updates += [f"create refs/replace/{sha} {child}\n" for sha, child in _children(folder, ordered)]
    git.run("update-ref", "--no-deref", "--stdin", input="".join(updates).encode())
    git.run("symbolic-ref", "HEAD", _BRANCH)
    git.run("pack-refs", "--all")


def _children(folder: Path, ordered: list[tuple[Version, str]]) -> list[tuple[str, str]]:
    """For each release but the oldest: its commit, and the same with the release before as its parent."""
    if len(ordered) < 2:
        return []
    # Imported here: it takes longer than all else when nothing is new.
    from syncbot.upstream.writable_repository import WritableRepository

    with closing(WritableRepository(folder)) as repository:
        return [
            (child, repository.commit(child).replace(parents=[repository.commit(parent)]).hexsha)
            for (_, parent), (_, child) in pairwise(ordered)
        ]
