"""The facts of an analysis that caches and worker processes need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from syncbot.api.cache import TableCache
from syncbot.api.model import ModuleTable, UsageTable
from syncbot.contracts.configured_facts import Knowledge
from syncbot.contracts.sources import Backend
from syncbot.upstream.git_repository import GitRepository


@dataclass(frozen=True, slots=True)
class Workplace:
    """The upstream, the backend, and the caches in ``cache``, the folder of all caches; ``own_names`` tells
    which names the backend defines."""

    repository: GitRepository
    packages: tuple[str, ...]
    backend: Backend
    knowledge: Knowledge
    tables: TableCache[ModuleTable]
    usages: TableCache[UsageTable]
    cache: Path
    own_names: Callable[[], frozenset[str]]

    @property
    def tables_folder(self) -> Path:
        """The folder of the tables' caches."""
        return self.cache / "tables"
