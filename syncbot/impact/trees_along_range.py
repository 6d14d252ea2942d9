"""The trees of a range of commits, each told from the one before it and what the commit changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from syncbot.api.tree import ModuleTree
from syncbot.upstream.model import Commit

# One tree of so many commits in a row is kept, and those after it told from it.
_STRIDE = 64


class TreesAlongRange:
    """The trees of some commits, oldest first, of which only the first is read. ``read`` gives a tree,
    ``changes`` what a commit changes against its first parent: path → new blob, None if gone."""

    def __init__(
        self,
        commits: Iterable[Commit],
        read: Callable[[str], ModuleTree],
        changes: Callable[[Commit], Mapping[str, str | None]],
    ) -> None:
        self._read, self._changes = read, changes
        self._commits: dict[str, Commit] = {}
        self._depths: dict[str, int] = {}
        self._marks: dict[str, ModuleTree] = {}
        for commit in commits:
            self._commits[commit.sha] = commit
            self._depths[commit.sha] = self._depths.get(commit.parents[0], 0) + 1 if commit.parents else 0

    def tree(self, sha: str) -> ModuleTree | None:
        """The tree of one of the commits; None of others, and where its history begins among them."""
        if sha not in self._commits:
            return None
        steps: list[Commit] = []
        while (commit := self._commits.get(sha)) is not None and sha not in self._marks:
            if not commit.parents:
                return None
            steps.append(commit)
            sha = commit.parents[0]
        tree = self._marks[sha] if sha in self._marks else self._read(sha)
        files: dict[str, str | None] = {}
        for step in reversed(steps):
            files.update(self._changes(step))
            if self._depths[step.sha] % _STRIDE == 0:
                tree, files = tree.changed(files), {}
                self._marks[step.sha] = tree
        return tree.changed(files) if files else tree
