"""The trees of a range of commits, ready to be compared with one backend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TypeVar

from packaging.version import Version

from syncbot.api.bounded_source import bounded
from syncbot.api.cache import TableCache
from syncbot.api.model import ModuleTable, UsageTable
from syncbot.api.names import DefinedNames
from syncbot.api.recently_used import RecentlyUsed
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.api.usage import UsageIndex, UsageTables
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.version_helpers import version_helpers
from syncbot.contracts.configured_facts import NOTHING, Knowledge, SchemaFile
from syncbot.contracts.coverage import Coverage
from syncbot.contracts.discovery import discover
from syncbot.contracts.misfit import Misfit
from syncbot.contracts.model import Contract
from syncbot.contracts.operators.schema_files import as_python
from syncbot.contracts.sources import Backend
from syncbot.contracts.unreached.shadowing import StandIn
from syncbot.impact.accelerator import Accelerator
from syncbot.impact.trees_along_range import TreesAlongRange
from syncbot.impact.word_caches import WordCaches
from syncbot.project_metadata.install_variants import names_requirements, partly_required
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Commit

B = TypeVar("B", str, str | None)

# So many trees are kept.
_TREES = 16
# So many bytes of sources are kept in memory.
_MOST_TEXT = 64 << 20


class _Texts:
    """The sources that were read last, by blob."""

    def __init__(self) -> None:
        self._texts: dict[str, bytes] = {}
        self._size = 0

    def get(self, blob: str) -> bytes | None:
        """The source of a blob; None where it is not kept."""
        return self._texts.get(blob)

    def put(self, blob: str, text: bytes) -> bytes:
        """Keep a source, in the place of the oldest ones."""
        self._texts[blob] = text
        self._size += len(text)
        while self._size > _MOST_TEXT:
            self._size -= len(self._texts.pop(next(iter(self._texts))))
        return text


@dataclass
class Trees:
    """Makes universes and comparisons of a backend with the commits of one upstream repository."""

    repository: GitRepository
    packages: tuple[str, ...]
    backend: Backend
    tables: TableCache[ModuleTable]
    usages: TableCache[UsageTable]
    knowledge: Knowledge = NOTHING
    accelerator: Accelerator = field(default_factory=Accelerator)
    words: WordCaches = field(default_factory=lambda: WordCaches.kept(None))

    def __post_init__(self) -> None:
        self._trees = RecentlyUsed[str, ModuleTree](_TREES)
        self._index = UsageIndex(self.usages)
        self.own_tree = self.backend.tree(self.tables, self.words.mentions)
        self._texts = _Texts()
        self._steps: TreesAlongRange | None = None
        self._schemas = {schemas.file: schemas for schemas in self.knowledge.schemas}
        self._declaring: dict[str, SchemaFile] = {}
        self._before: tuple[str, Universe] | None = None
        self.unwalked: dict[str, str] = {}
        self.replaced: dict[str, StandIn] = {}
        self.unjudged: list[Contract] = []
        self.coverage: Coverage | None = None
        self.misfit: Misfit | None = None
        self._tags: Mapping[str, str] | None = None

    def with_backend(self, backend: Backend, accelerator: Accelerator) -> Trees:
        """Return these trees for another state of the backend; what was read of upstream is shared."""
        other = copy(self)
        other.backend, other.accelerator = backend, accelerator
        other.own_tree = backend.tree(self.tables, self.words.mentions)
        other._before, other.unwalked, other.replaced = None, {}, {}
        other.unjudged, other.coverage, other.misfit = [], None, None
        return other

    def read(self, blob: str) -> bytes:
        """The content of an upstream blob; a file of operator schemas reads as a module that defines them."""
        text = self._texts.get(blob)
        if text is None:
            text = self._remember(blob, self.repository.blob(blob))
        return text

    def load(self, blobs: Iterable[str]) -> None:
        """Read blobs that will be asked for, all in one go."""
        missing = [b for b in dict.fromkeys(blobs) if self._texts.get(b) is None]
        for blob, text in self.repository.blobs(missing):
            self._remember(blob, text)

    def _remember(self, blob: str, text: bytes) -> bytes:
        if (schemas := self._declaring.get(blob)) is not None:
            text = as_python(text, schemas)
        text = bounded(text, self.repository.limits)
        return self._texts.put(blob, text)

    def tree(self, commit: str) -> ModuleTree:
        """The module tree of a commit."""
        known = self._trees.get(commit)
        if known is None:
            known = self._steps.tree(commit) if self._steps is not None else None
            if known is None:
                files = self._files(commit)
                known = ModuleTree(files, self.packages, self.tables, self.read, mentions=self.words.mentions)
            self._trees.put(commit, known)
        return known

    def along(self, commits: Sequence[Commit], old: str, new: str) -> None:
        """Learn a range's trees (oldest first) from its changes, if they lead to the tree of its end."""
        self.tree(old)
        end = self.tree(new)
        steps = TreesAlongRange(commits, self.tree, self._changed_files)
        told = steps.tree(new)
        if told is not None and told.modules == end.modules:
            self._steps = steps

    def _files(self, commit: str) -> dict[str, str]:
        """Path → blob id of the Python files and schema files of a commit, links left out."""
        files = self.repository.tree(commit).items()
        return self._sources({path: entry.blob for path, entry in files if entry.mode != "120000"})

    def _sources(self, files: Mapping[str, B]) -> dict[str, B]:
        """The Python files among some files, and the schema files, whose blobs are known as such from now."""
        for path, blob in files.items():
            if blob is not None and (schemas := self._schemas.get(path)) is not None:
                self._declaring[blob] = schemas
        return {p: b for p, b in files.items() if p.endswith((".py", ".pyi")) or p in self._schemas}

    def _changed_files(self, commit: Commit) -> dict[str, str | None]:
        """Path → new blob id, None where the file is gone."""
        after: dict[str, str | None] = {}
        for change in commit.files:
            if change.old_path and change.status not in ("C", "A"):
                after[change.old_path] = None
        for change in commit.files:
            if change.new_path and change.new_blob:
                after[change.new_path] = change.new_blob
        return self._sources(after)

    def universe(self, tree: ModuleTree) -> Universe:
        """The names of the backend and of an upstream tree together."""
        return Universe((tree, self.own_tree), follow=(self.own_tree,))

    def contracts(self, universe: Universe, end: str | None = None) -> list[Contract]:
        """All contracts of the backend in one universe, of code that runs on the version at a commit ``end``.
        Sets ``unwalked`` (path → why), ``replaced`` and ``unjudged``."""
        self.unjudged = []
        return discover(
            self.backend,
            universe,
            self.packages,
            self.knowledge,
            self.unwalked,
            self.replaced,
            self.unjudged,
            self.accelerator,
            self._version(end) if end is not None else None,
            self.own_names,
        )

    def own_names(self) -> frozenset[str]:
        """The names that the backend defines anywhere."""
        return self.words.defined_in(self.backend)

    def versions(self, old: str, new: str) -> tuple[Version | None, Version | None]:
        """The versions of two commits, None for one that is no release."""
        return self._version(old), self._version(new)

    def _partly_required(self, commit: str) -> frozenset[str]:
        """The distributions that upstream requires in some installs only."""
        entries = self.repository.tree(commit).values()
        named = {e.blob: e.path for e in entries if names_requirements(e.path) and e.mode != "120000"}
        texts = ((named[blob], text) for blob, text in self.repository.blobs(named))
        return partly_required({path: text.decode("utf-8", "replace") for path, text in texts})

    def _version(self, commit: str) -> Version | None:
        """The version that a commit is tagged as."""
        if self._tags is None:
            self._tags = self.repository.tagged_commits()
        tag = self._tags.get(commit)
        return None if tag is None else Version(tag.removeprefix("v"))

    def unanalysed(self) -> Iterator[tuple[str, str]]:
        """The backend's files whose contracts are not or not all known, with the reasons; once they were
        looked for."""
        yield from self.backend.skipped
        for path, imported in self.backend.apart:
            if names := sorted(imported.intersection(self.packages)):
                yield path, f"it imports {', '.join(names)}, and no source folder holds it"
        for file in self.backend.files:
            problem = self.tables.get(file.blob, {file.blob: file.text}.__getitem__).problem
            problem = problem or self.unwalked.get(file.path)
            if problem is not None:
                yield file.path, problem

    def comparison(self, old: str, new: str) -> Comparison:
        """Two commits side by side."""
        before, after = self.tree(old), self.tree(new)
        entries, others = before.modules, after.modules
        self.load(b for m, (_, b) in others.items() if entries.get(m, ("", ""))[1] != b)
        self.load(b for m, (_, b) in entries.items() if others.get(m, ("", ""))[1] != b)
        if self._before is None or self._before[0] != old:
            # What the old tree says is asked again for each commit that it is compared with.
            self._before = (old, self.universe(before))
        return Comparison(
            old=self._before[1],
            new=self.universe(after),
            old_tree=before,
            new_tree=after,
            old_usage=UsageTables(before, self._index),
            new_usage=UsageTables(after, self._index),
            old_names=DefinedNames(before, self.words.index),
            new_names=DefinedNames(after, self.words.index),
            own_tree=self.own_tree,
            own_usage=UsageTables(self.own_tree, self._index),
            options=self.words.options,
            replaced=self.replaced,
            tests=self.backend.test_modules,
            loaded=self.backend.loaded,
            versions=self.versions(old, new),
            helpers=lambda: version_helpers(self.backend.files),
            partly_required=lambda: self._partly_required(new),
            required_here=self.backend.required,
        )
