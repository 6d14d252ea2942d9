"""Contracts kept on disk with the questions behind them: a day's commits cost a day. A file is walked anew
only where upstream answers one otherwise (`contracts.dependency_keys`), where it changed itself, or where
another file of the backend did on which it depends (`contracts.backend_changes`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import msgspec

from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.backend_changes import BackendFacts, answers, still_true, untouched
from syncbot.contracts.dependency_keys import other_answers
from syncbot.contracts.discovery import Found
from syncbot.contracts.model import Contract
from syncbot.contracts.sources import Backend
from syncbot.errors import EnvironmentFailure
from syncbot.impact.caching.contract_codec import Packed, pack, unpack
from syncbot.sealed_values import keep, recall

# So many files stay in a folder: each state of a backend has one.
_MOST = 8


class _CachedContracts(msgspec.Struct):
    """The data on disk: contracts, the path and blob of each module of the upstream tree in which they hold,
    the facts of the backend, and its answers."""

    modules: dict[str, tuple[str, str]]
    backend: BackendFacts
    answers: dict[str, str]
    contracts: Packed


class ContractCache:
    """The contracts of one backend's files, as they were in the upstream tree that was last asked about, kept
    in the file ``family-state.msgpack`` of a folder. Where this state of the backend has none, they begin
    with the newest one of the family. ``names`` tells which names the backend defines."""

    def __init__(
        self, folder: Path, family: str, state: str, backend: Backend, names: Callable[[], frozenset[str]]
    ) -> None:
        self._path = folder / f"{family}-{state}.msgpack"
        self._family, self._backend, self._names = family, backend, names
        self._tree: ModuleTree | None = None
        self._own: ModuleTree | None = None
        self._files: dict[str, Found] = {}
        self._answers: dict[str, str] = {}
        self._loaded, self._fresh = False, False

    def kept(self, universe: Universe) -> Mapping[str, Sequence[Contract]]:
        """The contracts by path of those files that have the same ones in this universe."""
        if universe.relocate is not None:
            return {}
        if not self._loaded:
            self._loaded, self._own = True, universe.trees[1]
            self._load(*universe.trees)
        tree = universe.trees[0]
        if self._tree is not None and self._tree is not tree:
            looks = frozenset[str]().union(*(found.looks for found in self._files.values()))
            try:
                other = other_answers(looks, self._tree, tree)
            except EnvironmentFailure:
                # The older tree may be gone from the repository: then nothing is known of it.
                other = set(looks)
                self._files = {}
            self._files = {p: found for p, found in self._files.items() if other.isdisjoint(found.looks)}
        self._tree = tree
        return {path: found.contracts for path, found in self._files.items()}

    def keep(self, universe: Universe, found: Mapping[str, Found]) -> None:
        """Take what was found anew in the universe that :meth:`kept` was last asked about."""
        if universe.relocate is None and found:
            self._files.update(found)
            self._fresh = True

    def write(self) -> None:
        """Write what is new. A cache that cannot be written is no error."""
        if not self._fresh or self._tree is None or self._own is None:
            return
        with suppress(EnvironmentFailure, OSError):
            looks = frozenset[str]().union(*(found.own for found in self._files.values()))
            told = answers(looks, self._own, self._answers)
            kept = _CachedContracts(self._tree.modules, self._facts, told, pack(self._files))
            found = msgspec.msgpack.encode(kept)
            keep(self._path.parents[1], self._path, found)
            self._fresh = False
            for old in sorted(self._path.parent.glob("*.msgpack"), key=_written)[:-_MOST]:
                old.unlink(missing_ok=True)

    @cached_property
    def _facts(self) -> BackendFacts:
        return BackendFacts.of(self._backend, self._names())

    def _load(self, tree: ModuleTree, own: ModuleTree) -> None:
        newest = sorted(self._path.parent.glob(f"{self._family}-*.msgpack"), key=_written)
        tried = (recall(file.parents[1], file) for file in (self._path, *newest[-1:]))
        known = next((value for value in tried if value is not None), None)
        if known is None:
            return
        try:
            kept = msgspec.msgpack.decode(known, type=_CachedContracts)
            found = unpack(kept.contracts)
        except (msgspec.MsgspecError, LookupError):
            return
        self._answers = kept.answers
        tests = {file.path for file in self._backend.files if file.is_test}
        if kept.backend.modules != own.modules or kept.backend.tests != tests:
            self._answers = still_true(kept.answers, kept.backend, own)
            found = untouched(found, self._answers, kept.backend, self._facts, self._backend)
        self._files = found
        self._tree = tree.with_modules(kept.modules)


def _written(file: Path) -> float:
    """When a file was written; one that is gone by now is older than any."""
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
