"""The type checkers as a judge of rewritten sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from syncbot.config import Config
from syncbot.contracts.sources import Backend
from syncbot.impact.model import Impact
from syncbot.planning.judged_proof import Checker
from syncbot.typecheck.checked_range import run
from syncbot.upstream.commit_range import Span
from syncbot.upstream.opening import Upstream


def type_checker(
    config: Config, upstream: Upstream, span: Span, cache: Path, engines: Sequence[str] | None = None
) -> Checker:
    """A function from a state of the backend to what type checkers find between the ends of a span: those
    named, else all that are installed; nothing where none is."""

    def check(backend: Backend) -> Sequence[Impact]:
        shipped = replace(backend, files=tuple(file for file in backend.files if not file.is_test))
        return run(
            shipped,
            upstream.repository,
            span,
            cache,
            config.root / config.environment if config.environment else None,
            engines,
            packages=upstream.packages,
        ).impacts

    return check
