"""The accelerator of the commands: contracts kept on disk, and two other processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from syncbot.api.universe import Universe
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.discovery import Found
from syncbot.contracts.model import Contract
from syncbot.contracts.sources import SourceFile
from syncbot.impact.accelerator import Accelerator, Judgements, Range
from syncbot.impact.caching.analysis_cache import question_of_any
from syncbot.impact.caching.contract_cache import ContractCache
from syncbot.impact.caching.kept_judgements import KeptJudgements, circumstances
from syncbot.impact.caching.prefetch_worker import Prefetching
from syncbot.impact.caching.table_worker import TableWorker
from syncbot.impact.caching.worker_process import processors
from syncbot.impact.caching.workplace import Workplace
from syncbot.upstream.model import Commit


class CachesAndWorkers(Accelerator):
    """Keeps contracts, and lets other processes work while a range is analysed. A partial clone gets no table
    worker, which would fetch blobs one by one."""

    def __init__(self, place: Workplace) -> None:
        self._place = place
        # Whatever state the backend is in: what stayed the same in it is known.
        own, limits = repr(place.backend.packages), place.repository.limits.key
        family = question_of_any(own, *place.packages, repr(place.knowledge), limits)
        folder, state = place.cache / "contracts", place.backend.digest[:32]
        self._family = family
        self._contracts = ContractCache(folder, family, state, place.backend, place.own_names)
        self._prefetching: Prefetching | None = None
        self._tables: TableWorker | None = None

    def begin_range(self, span: Range, /) -> None:
        """Let another process make the tables of what the range changes."""
        self._end_workers()
        if processors() > 1:
            # Another process cannot be told a path that is not UTF-8.
            with suppress(UnicodeEncodeError):
                self._prefetching = Prefetching(self._place, span)
                if not self._place.repository.is_partial:
                    self._tables = TableWorker(self._place)

    def end_range(self) -> None:
        """Write the contracts: a plan would come on top of what that takes."""
        self._contracts.write()

    def kept(self, universe: Universe, /) -> Mapping[str, Sequence[Contract]]:
        """Answer from disk."""
        return self._contracts.kept(universe)

    def begin(self, universe: Universe, files: Sequence[SourceFile], /) -> None:
        """Let the other process walk files too."""
        if self._prefetching is not None:
            self._prefetching.discovery.begin(universe, files)

    def found(self, path: str, /) -> Found | None:
        """Answer with what the other process found."""
        return self._prefetching.discovery.found(path) if self._prefetching is not None else None

    def finish(self, universe: Universe, found: Mapping[str, Found], /) -> None:
        """Keep what was found."""
        if self._prefetching is not None:
            self._prefetching.discovery.finish()
        self._contracts.keep(universe, found)

    def judgements(self, contracts: Sequence[Contract], pair: Comparison, ends: Range, /) -> Judgements:
        """Answer from disk."""
        asked = question_of_any(self._family, ends.old, ends.new, *circumstances(pair))
        blobs = {module: blob for module, (_, blob) in pair.own_tree.modules.items()}
        return KeptJudgements(self._place.cache / "judgements" / f"{asked}.msgpack", contracts, blobs)

    def expect_tables(self, blobs: Iterable[str], /) -> None:
        """Let another process make these tables."""
        if self._tables is not None:
            self._tables.tables(blobs)

    def expect_facts(self, commit: Commit, /) -> None:
        """Let another process make the tables that the facts are told from."""
        if self._tables is not None:
            self._tables.facts(commit)

    def close(self) -> None:
        """Write the contracts, and end the processes."""
        self._end_workers()
        self._contracts.write()

    def _end_workers(self) -> None:
        if self._prefetching is not None:
            self._prefetching.close()
        if self._tables is not None:
            self._tables.close()
        self._prefetching = self._tables = None
