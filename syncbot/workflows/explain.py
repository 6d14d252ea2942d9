"""The history of an upstream symbol, or what one upstream commit did."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from syncbot.errors import UsageError
from syncbot.explain.biography import Biography, Range, explain_symbol
from syncbot.explain.explained_commit import Explained, explain_commit
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.session import backend_of, opened
from syncbot.lanes.matrix import Matrix
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import resolve
from syncbot.upstream.following import By, followed_source
from syncbot.upstream.model import Commit, Meter, no_meter
from syncbot.upstream.opening import Upstream, open_source
from syncbot.upstream.release_choice import Between, These
from syncbot.workflows.project import configured, matrix_of, patches_of

_NUMBER = re.compile(r"#?(\d{1,6})$")
_LONGEST = 1_000  # letters of a dotted name
_SHA = re.compile(r"[0-9a-f]{7,40}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainOptions:
    """``subject`` is a symbol such as ``package.module.Class``, a pull request's number or a sha. ``old`` and
    ``new`` are the ends of its history."""

    subject: str
    backend: Path = Path()
    old: str | None = None
    new: str | None = None
    upstream: str | None = None
    by: By | None = None


def explain_upstream(options: ExplainOptions, meter: Meter = no_meter) -> Biography | Explained:
    """Return the Biography of a symbol, or a commit Explained. Raises UsageError for one that does not exist,
    ConfigurationError, and EnvironmentFailure."""
    config = configured(options.backend)
    matrix = matrix_of(config)
    asked = [ref for ref in (options.old, options.new) if ref is not None]
    wanted: Between | These = These((*asked, *(str(lane.version) for lane in matrix or ())))
    if options.old is not None:
        wanted = Between(options.old, options.new or "latest")
    source = followed_source(config, options.upstream, cache_dir(), options.by)
    with (
        open_source(config, source, wanted, cache_dir(), meter) as followed,
        opened(config, followed, backend_of(config), cache_dir()) as trees,
    ):
        end = resolve(followed.repository, options.new) if options.new else followed.head
        start = resolve(followed.repository, options.old) if options.old else None
        commit = _commit(followed, options.subject, end)
        if commit is not None:
            return explain_commit(trees, commit, AnalysisCache(cache_dir() / "analyses"))
        where = Range(start, end, _relied_on(followed, matrix, end), followed.kind == "git")
        return explain_symbol(trees, options.subject, where, matrix, patches_of(config))


def _commit(upstream: Upstream, subject: str, end: str) -> Commit | None:
    """The commit that a number or sha names; None for what can only be a symbol."""
    number = _NUMBER.fullmatch(subject)
    if number is None and not _SHA.fullmatch(subject):
        if len(subject) > _LONGEST or not all(part.isidentifier() for part in subject.split(".")):
            raise UsageError(
                f"no commit of the range has {subject[:_LONGEST]}: spell it as it is imported, such as "
                "package.module.Name"
            )
        return None
    if upstream.kind == "release":
        raise UsageError(
            f"{upstream.name} comes from the package index, which has releases and no commits or pull "
            "requests: name its git repository with --upstream URL"
        )
    if number is not None:
        found = upstream.repository.of_pull_request(int(number[1]), end)
        if not found:
            raise UsageError(f"no commit's subject ends in (#{number[1]}): give its sha instead")
        return found[-1]
    return upstream.repository.commits(f"{subject}~1", subject)[0]


def _relied_on(upstream: Upstream, matrix: Matrix | None, end: str) -> str:
    """The tree that the backend is written against: the baseline's, where the upstream has that version."""
    try:
        return upstream.repository.resolve(matrix.baseline) if matrix is not None else end
    except UsageError:
        return end
