"""The type checkers as a judge of rewritten sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from syncbot.config import Config
from syncbot.contracts.sources import Backend
from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.impact.model import Ended, Impact
from syncbot.planning.judged_proof import Checker
from syncbot.typecheck.checked_range import run
from syncbot.upstream.commit_range import Span
from syncbot.upstream.opening import Upstream


def type_checker(
    config: Config, upstream: Upstream, span: Span, cache: Path, engines: Sequence[str] | None
) -> Checker | None:
    """A function from a state of the backend to what type checkers find between the ends of a span: those of
    these names, all that are installed for None. None where none is asked. The function raises UsageError for
    a named one that is not installed, EnvironmentFailure where one cannot finish: nothing would be proven."""
    if engines is not None and not engines:
        return None

    def check(backend: Backend) -> Sequence[Impact]:
        shipped = replace(backend, files=tuple(file for file in backend.files if not file.is_test))
        result = run(
            shipped,
            upstream.repository,
            span,
            cache,
            config.root / config.environment if config.environment else None,
            engines,
            packages=upstream.packages,
        )
        for engine in result.unfinished:
            if engine.state is Ended.INCOMPLETE:
                raise EnvironmentFailure(f"{engine.reason}: leave it out (--engine contracts)")
            if engines is not None:
                raise UsageError(engine.reason)
        return result.impacts

    return check
