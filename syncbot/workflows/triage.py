"""From the logs of failed runs to the guilty upstream commits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from syncbot.config import Config
from syncbot.contracts.sources import Backend, in_memory
from syncbot.errors import UsageError
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.model import Impact
from syncbot.impact.session import backend_of, opened
from syncbot.planning.fixes import planned_fixes, with_fixes
from syncbot.report.untrusted_text import web_address
from syncbot.triage.diagnosis import Diagnosis, Origin, Triage
from syncbot.triage.folded_failures import Reading, causes
from syncbot.triage.guilty_commits import diagnosed, environmental
from syncbot.triage.read_logs import read
from syncbot.triage.searched_range import SearchedRange
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import Span, between, resolve
from syncbot.upstream.following import By
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.opening import Upstream, open_range
from syncbot.workflows.project import configured, matrix_of, patches_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageOptions:
    """The logs (paths, ``-`` for standard input), the last version that worked (``old``, else the matrix's
    baseline) and the one that failed (``new``, else the newest commit). The one that failed may be the older
    one. Without ``rewrites``, :func:`triage_logs` plans none for the causes, which takes most of its time."""

    logs: Sequence[str]
    backend: Path = Path()
    old: str | None = None
    new: str | None = None
    upstream: str | None = None
    by: By | None = None
    rewrites: bool = True


def triage_logs(options: TriageOptions, meter: Meter = no_meter) -> Triage:
    """Return each failure in the logs, and its explanation. Without a range it looks for no commits; where
    the text of an error decides, it opens no upstream. Raises UsageError (unreadable log, unknown range),
    ConfigurationError, and EnvironmentFailure."""
    config = configured(options.backend)
    reading = read(options.logs)
    matrix = matrix_of(config)
    start = options.old or (matrix.baseline if matrix is not None else None)
    if start is None and options.new is not None:
        raise UsageError("--to alone is no range: name the last version that worked with --from")
    by_text = tuple(environmental(failure) for failure in causes(reading))
    if start is None or all(diagnosis.origin is Origin.ENVIRONMENT for diagnosis in by_text):
        return Triage(reading, by_text)
    return _searched(config, options, reading, start, by_text, meter)


def _searched(
    config: Config,
    options: TriageOptions,
    reading: Reading,
    start: str,
    by_text: Sequence[Diagnosis],
    meter: Meter,
) -> Triage:
    backend, remarks = _backend(config)
    asked = (*_in_order(start, options.new), meter, options.by)
    with open_range(config, options.upstream, cache_dir(), *asked) as followed:
        end = options.new or followed.head
        span, is_reversed = _either_way(followed.repository, start, end)
        with opened(config, followed, backend, cache_dir()) as trees:

            def impacts() -> Sequence[Impact]:
                found = analyse(trees, span, AnalysisCache(cache_dir() / "analyses"), meter).impacts
                if not options.rewrites:
                    return found
                return with_fixes(
                    found, planned_fixes(trees, span.old, span.new, found, cache_dir() / "plans")
                )

            case = SearchedRange(trees, span, impacts, patches_of(config), is_reversed)
            diagnoses = []
            for number, known in enumerate(by_text):
                meter("explaining failures", number, len(by_text))
                environment = known.origin is Origin.ENVIRONMENT
                diagnoses.append(known if environment else diagnosed(case, known.failure))
            meter("explaining failures", len(by_text), len(by_text))
        ends = (_shown(start), _shown(options.new or end))
        return Triage(
            reading,
            tuple(diagnoses),
            _name(config, followed),
            *(ends[::-1] if is_reversed else ends),
            len(span.commits),
            web_address(followed.web),
            is_reversed,
            followed.kind,
            remarks,
        )


def _backend(config: Config) -> tuple[Backend, tuple[str, ...]]:
    """The plugin; in a folder without one nothing, and a remark that says so."""
    try:
        return backend_of(config), ()
    except UsageError:
        remark = "there is no plugin in this folder, so only upstream was looked at: --backend names one"
        return in_memory({}), (remark,)


def _in_order(old: str, new: str | None) -> tuple[str, str | None]:
    """Two references for what lies between them: of two versions the older one first."""
    try:
        is_wrong = new is not None and Version(old) > Version(new)
    except InvalidVersion:
        return old, new
    return (new, old) if is_wrong and new is not None else (old, new)


def _either_way(repository: GitRepository, old: str, new: str) -> tuple[Span, bool]:
    """The commits between two references whichever is the newer one, and whether that is ``old``. Of branches
    that both have commits of their own, the one with more of them is the newer."""
    before, after = resolve(repository, old), resolve(repository, new)
    if before == after or repository.distance(before, after) >= repository.distance(after, before):
        return between(repository, old, new), False
    return between(repository, new, old), True


def _name(config: Config, followed: Upstream) -> str:
    """An upstream as people speak of it: as configured, else as it is imported."""
    return followed.name if followed.name in config.upstreams else followed.packages[0]


def _shown(ref: str) -> str:
    """A reference as a reader knows it, a full sha cut short."""
    return ref[:10] if re.fullmatch("[0-9a-f]{40,64}", ref) else ref
