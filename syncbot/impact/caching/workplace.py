"""What caches and worker processes have to know of an analysis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.api.cache import TableCache
from syncbot.api.model import ModuleTable, UsageTable
from syncbot.api.tree import ModuleTree
from syncbot.contracts.configured_facts import Knowledge
from syncbot.contracts.sources import Backend
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Commit


@dataclass(frozen=True, slots=True)
class Workplace:
    """The upstream, the backend, and the caches in ``cache``, the folder of all caches."""

    repository: GitRepository
    packages: tuple[str, ...]
    backend: Backend
    knowledge: Knowledge
    tables: TableCache[ModuleTable]
    usages: TableCache[UsageTable]
    cache: Path

    @property
    def tables_folder(self) -> Path:
        """The folder of the tables' caches."""
        return self.cache / "tables"


@dataclass(frozen=True, slots=True)
class Range:
    """The commits between two, oldest first; ``tree`` reads the tree of one."""

    old: str
    new: str
    commits: Sequence[Commit]
    tree: Callable[[str], ModuleTree]
