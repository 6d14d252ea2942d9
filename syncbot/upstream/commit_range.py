"""Which commits a check looks at: from references or moments to two ends and the commits between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from syncbot.errors import UsageError
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Commit
from syncbot.upstream.release_choice import steps_back
from syncbot.upstream.release_view import LATEST


@dataclass(frozen=True, slots=True)
class Span:
    """The commits between the trees of two full shas, newest first; none where nothing happened."""

    old: str
    new: str
    commits: tuple[Commit, ...]


def between(repository: GitRepository, old: str, new: str) -> Span:
    """The commits ``old..new``. Raises UsageError for an unknown reference, or ends the wrong way round."""
    before, after = resolve(repository, old), resolve(repository, new)
    commits = tuple(repository.commits(before, after))
    if not commits and before != after:
        raise UsageError(f"{new} has no commits that {old} lacks: exchange --from and --to")
    return Span(before, after, commits)


def during(repository: GitRepository, head: str, since: datetime | None, until: datetime | None) -> Span:
    """The commits committed in a period, ends included. Its trees are those of ``head``'s line of first
    parents: what a merge brings belongs to the merge's time. Raises UsageError where that line has nothing
    older."""
    line = first_parent_line(repository.commits(None, head, since), head)
    while line and until is not None and line[-1].date > until:
        line.pop()
    if not line:
        return Span(head, head, ())
    start, end = line[0], line[-1]
    commits = tuple(repository.commits(None, end.sha, since, until))
    if not start.parents:
        raise UsageError(
            f"the period reaches back to the first commit ({start.sha[:12]}), which has nothing to be "
            "compared with: name a later --since or --from"
        )
    return Span(start.parents[0], end.sha, commits)


def first_parent_line(commits: Iterable[Commit], end: str) -> list[Commit]:
    """Those of some commits that lead to ``end`` by first parents, oldest first, itself the last."""
    known = {commit.sha: commit for commit in commits}
    line: list[Commit] = []
    at = known.get(end)
    while at is not None:
        line.append(at)
        at = known.get(at.parents[0]) if at.parents else None
    return line[::-1]


def resolve(repository: GitRepository, ref: str) -> str:
    """The full sha of a reference; ``latest~N`` is the Nth release before the newest. Raises UsageError."""
    back = steps_back(ref)
    if back is None:
        return repository.resolve(ref)
    if (known := repository.commit(f"{LATEST}/{back}")) is not None:
        return known
    tags = [tag for version, tag in repository.version_tags() if not version.is_prerelease]
    if back >= len(tags):
        raise UsageError(f"{ref} asks for release {back + 1} from the end, but there are {len(tags)}")
    return repository.resolve(f"refs/tags/{tags[-1 - back]}")
