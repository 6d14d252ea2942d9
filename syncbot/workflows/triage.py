"""From the logs of failed runs to the guilty upstream commits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.errors import UsageError
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.session import backend_of, opened
from syncbot.report.untrusted_text import web_address
from syncbot.triage.diagnosis import Triage
from syncbot.triage.folded_failures import causes
from syncbot.triage.guilty_commits import AnalysedRange, diagnosed, environmental
from syncbot.triage.read_logs import read
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import between
from syncbot.upstream.following import By
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.opening import open_range
from syncbot.workflows.project import configured, matrix_of, patches_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageOptions:
    """The logs (paths, ``-`` for standard input), and the last version that worked, else the matrix's
    baseline (``old``), and the one that failed, else the newest commit (``new``)."""

    logs: Sequence[str]
    backend: Path = Path()
    old: str | None = None
    new: str | None = None
    upstream: str | None = None
    by: By | None = None


def triage_logs(options: TriageOptions, meter: Meter = no_meter) -> Triage:
    """Return each failure in the logs, and what explains it; without a range no commits are looked for.
    Raises UsageError (unreadable log, unknown range), ConfigurationError, and EnvironmentFailure."""
    config = configured(options.backend)
    reading = read(options.logs)
    matrix = matrix_of(config)
    start = options.old or (matrix.baseline if matrix is not None else None)
    if start is None and options.new is not None:
        raise UsageError("--to alone is no range: name the last version that worked with --from")
    if start is None or not causes(reading):
        return Triage(reading, tuple(environmental(failure) for failure in causes(reading)))
    with open_range(config, options.upstream, cache_dir(), start, options.new, meter, options.by) as followed:
        span = between(followed.repository, start, options.new or followed.head)
        with opened(config, followed, backend_of(config), cache_dir()) as trees:
            analysis = analyse(trees, span, AnalysisCache(cache_dir() / "analyses"), meter)
            analysed = AnalysedRange(trees, analysis, patches_of(config))
            diagnoses = tuple(diagnosed(analysed, failure) for failure in causes(reading))
        ends = (_shown(start), _shown(options.new or span.new))
        return Triage(reading, diagnoses, followed.name, *ends, len(span.commits), web_address(followed.web))


def _shown(ref: str) -> str:
    """A reference as a reader knows it, a full sha cut short."""
    return ref[:10] if re.fullmatch("[0-9a-f]{40,64}", ref) else ref
