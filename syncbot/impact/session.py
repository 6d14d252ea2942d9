"""Opens everything that an analysis needs: the backend, an upstream and the caches between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from syncbot.config import Config
from syncbot.contracts.configured_facts import Knowledge, Registrar, SchemaFile, SiblingRule
from syncbot.contracts.source_files import read_backend
from syncbot.contracts.sources import Backend
from syncbot.garbage_collection import resting, swept
from syncbot.impact.accelerator import Accelerator
from syncbot.impact.caching.caches_and_workers import CachesAndWorkers
from syncbot.impact.caching.table_caches import table_caches
from syncbot.impact.caching.workplace import Workplace
from syncbot.impact.trees import Trees
from syncbot.impact.word_caches import WordCaches
from syncbot.upstream.opening import Upstream


def backend_of(config: Config) -> Backend:
    """The backend's sources as the configuration names them. Raises UsageError without a Python package."""
    return read_backend(config.backend_path, config.sources, config.tests, config.limits.values)


@contextmanager
def opened(
    config: Config,
    upstream: Upstream,
    backend: Backend,
    cache: Path,
    accelerate: Callable[[Workplace], Accelerator] = CachesAndWorkers,
) -> Iterator[Trees]:
    """The trees of an upstream for one backend; tables are kept below ``cache``. Python's cycle collector
    rests meanwhile: among millions of nodes it costs half the time. Raises UsageError where the backend is
    nothing but upstream itself."""
    backend = backend.without_copies(upstream.packages)
    limits = upstream.repository.limits
    tables, usages = table_caches(cache / "tables", limits=limits)
    siblings = tuple(SiblingRule(s.base, s.method, s.follows) for s in config.siblings)
    registrars = tuple(Registrar(**r.model_dump()) for r in config.operator_registrars)
    followed = config.upstreams.get(upstream.name)
    schemas = tuple(SchemaFile(**s.model_dump()) for s in followed.schemas) if followed is not None else ()
    knowledge = Knowledge(
        siblings, config.device_apis, registrars, config.kernel_decorators, schemas, config.gate
    )
    words = WordCaches.kept(cache / "tables", limits, knowledge, str(upstream.repository.store))
    try:
        backend = backend.knowing(words.said)
        # For the other process, which looks at the same files.
        words.said.flush()
        place = Workplace(
            upstream.repository, upstream.packages, backend, knowledge, tables, usages, cache,
            lambda: words.defined_in(backend),
        )  # fmt: skip
        accelerator = accelerate(place)
        try:
            swept()
            with resting():
                yield Trees(
                    upstream.repository, upstream.packages, backend, tables, usages, knowledge, accelerator,
                    words=words,
                )  # fmt: skip
        finally:
            accelerator.close()
    finally:
        tables.close()
        usages.close()
        words.close()
