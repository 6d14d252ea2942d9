"""The type checkers as a judge of rewritten sources."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from syncbot.config import Config
from syncbot.contracts.sources import Backend
from syncbot.impact.model import Impact
from syncbot.planning.judged_proof import Checker
from syncbot.typecheck.checked_range import run
from syncbot.upstream.commit_range import Span
from syncbot.upstream.opening import Upstream


def type_checker(config: Config, upstream: Upstream, span: Span, cache: Path) -> Checker:
    """A function from a state of the backend to what the installed type checkers find between the ends
    of a span; nothing where none is installed."""

    def check(backend: Backend) -> Sequence[Impact]:
        with tempfile.TemporaryDirectory(prefix="syncbot-checked-") as scratch:
            for file in backend.files:
                target = Path(scratch) / file.path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.text)
            return run(
                Path(scratch),
                config.sources,
                upstream.repository,
                span,
                cache,
                config.root / config.environment if config.environment else None,
                packages=upstream.packages,
            ).impacts

    return check
