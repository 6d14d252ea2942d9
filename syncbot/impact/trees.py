"""The trees of a range of commits, ready to be compared with one backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from syncbot.api.cache import TableCache
from syncbot.api.model import ModuleTable, UsageTable
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.api.usage import UsageIndex, UsageTables
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.sources import Backend
from syncbot.upstream.git import GitRepository
from syncbot.upstream.model import Commit

Siblings = Mapping[tuple[str, str], Sequence[str]]


@dataclass
class Trees:
    """Makes universes and comparisons of a backend with the commits of one upstream repository."""

    repository: GitRepository
    packages: tuple[str, ...]
    backend: Backend
    tables: TableCache[ModuleTable]
    usages: TableCache[UsageTable]
    siblings: Siblings = field(default_factory=dict)
    _files: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._index = UsageIndex(self.usages)
        self._backend_tree = self.backend.tree(self.tables)

    def files(self, commit: str) -> dict[str, str]:
        """Path → blob id of the Python files of a commit."""
        known = self._files.get(commit)
        if known is None:
            known = {
                path: entry.blob
                for path, entry in self.repository.tree(commit).items()
                if path.endswith((".py", ".pyi")) and entry.mode != "120000"
            }
            self._files[commit] = known
        return known

    def along(self, commits: Sequence[Commit], old: str, new: str) -> None:
        """Learn the files of every commit of a range (oldest first) from what each changes, where the
        history is a line; where it is not, trees are read one by one when they are asked for."""
        current = dict(self.files(old))
        steps: dict[str, dict[str, str]] = {}
        previous = old
        for commit in commits:
            if not commit.parents or commit.parents[0] != previous:
                return
            current = _changed(current, commit)
            steps[commit.sha] = current
            previous = commit.sha
        if current == self.files(new):
            self._files.update(steps)

    def tree(self, commit: str) -> ModuleTree:
        """The module tree of a commit."""
        return ModuleTree(self.files(commit), self.packages, self.tables, self.repository.blob)

    def universe(self, tree: ModuleTree) -> Universe:
        """The names of the backend and of an upstream tree together."""
        return Universe((tree, self._backend_tree), follow=(self._backend_tree,))

    def comparison(self, old: str, new: str) -> Comparison:
        """Two commits side by side."""
        before, after = self.tree(old), self.tree(new)
        return Comparison(
            old=self.universe(before),
            new=self.universe(after),
            old_tree=before,
            new_tree=after,
            old_usage=UsageTables(before, self._index),
            new_usage=UsageTables(after, self._index),
            siblings=self.siblings,
        )

    def module_of(self, commit: str) -> Callable[[str], str | None]:
        """A function from paths to module names in a commit's tree."""
        names = {path: name for name, (path, _) in self.tree(commit).modules.items()}
        return names.get


def _changed(files: Mapping[str, str], commit: Commit) -> dict[str, str]:
    after = dict(files)
    for change in commit.files:
        if change.old_path and change.status not in ("C", "A"):
            after.pop(change.old_path, None)
    for change in commit.files:
        if change.new_path and change.new_blob and change.new_path.endswith((".py", ".pyi")):
            after[change.new_path] = change.new_blob
    return after
