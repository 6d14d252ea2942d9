"""Rewrite a backend that has no lanes for a newer upstream, in its working tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from syncbot.api.tree import ModuleTree
from syncbot.config import Config
from syncbot.contracts.sources import Backend
from syncbot.errors import UsageError
from syncbot.impact.agreement import with_types
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.session import backend_of, opened
from syncbot.planning.fixes import unified_diff
from syncbot.planning.layout import laid_out_plan
from syncbot.planning.plan import Plan, plan
from syncbot.planning.type_checker_proof import type_checker
from syncbot.project_metadata.formatter_settings import formatter_settings
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import between
from syncbot.upstream.following import By
from syncbot.upstream.model import Meter, no_meter, step
from syncbot.upstream.opening import open_range
from syncbot.workflows.project import configured
from syncbot.worktree import Worktree, below_repository


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrateOptions:
    """The upstream now (``old``, a tag, sha or version) and then (``new``, else the newest commit).
    ``upstream`` is a name, URL or path instead of the configured default. ``engine`` is ``contracts`` or
    ``all``, which asks the installed type checkers too; None takes the configured ones. With ``check`` or
    ``diff``, `migrate_backend` writes nothing; the result's ``diff`` has the edits. ``allow_dirty`` permits
    files that git could not restore."""

    old: str
    new: str | None = None
    backend: Path = Path()
    upstream: str | None = None
    by: By | None = None
    engine: str | None = None
    check: bool = False
    diff: bool = False
    allow_dirty: bool = False

    @property
    def writes(self) -> bool:
        """Whether files are written."""
        return not (self.check or self.diff)


@dataclass(frozen=True)
class Migrated:
    """The rewrites, and the findings that need an author; ``unread`` names the files that nobody could look
    at, each with the reason. ``diff`` has all rewrites, as git applies it in the repository's folder.
    ``releases`` are the names of releases by their commits."""

    migration: Plan
    unread: tuple[str, ...]
    diff: str = ""
    releases: Mapping[str, str] = field(default_factory=dict)


def migrate_backend(options: MigrateOptions, meter: Meter = no_meter) -> Migrated:
    """Rewrite what upstream broke, where a rewrite is proven right; all files change or none. Raises
    UsageError (uncommitted tree, unknown reference), ConfigurationError, and EnvironmentFailure."""
    config = configured(options.backend)
    tree = worktree(config, not options.writes, options.allow_dirty)
    done = planned(config, options, meter)
    if options.writes:
        write(config, tree, done.migration.changes)
    return done


def worktree(config: Config, check: bool, allow_dirty: bool) -> Worktree:
    """The working tree to write into. Raises UsageError unless it is clean, or nothing will be written."""
    tree = Worktree(config.root if config.apart is None else config.apart)
    if not check:
        if config.overlay is not None:
            raise UsageError(
                f"the sources of {config.overlay.package} are somebody else's and stay as they are: give "
                "--check to see what would be rewritten, or write a lane with syncbot apply"
            )
        tree.begin(allow_dirty)
    return tree


def write(config: Config, tree: Worktree, texts: Mapping[str, str]) -> None:
    """Write files of the backend, all or none. Raises UsageError and EnvironmentFailure."""
    tree.write({(Path(config.backend) / path).as_posix(): text for path, text in texts.items()})


def planned(config: Config, options: MigrateOptions, meter: Meter) -> Migrated:
    """Return the planned rewrites; nothing is written. Raises UsageError and EnvironmentFailure."""
    own = backend_of(config)
    with open_range(
        config, options.upstream, cache_dir(), options.old, options.new, meter, options.by
    ) as followed:
        span = between(followed.repository, options.old, options.new or followed.head)
        checker = type_checker(config, followed, span, cache_dir(), _checkers(config, options.engine))
        with opened(config, followed, own, cache_dir()) as trees:
            analysis = analyse(trees, span, AnalysisCache(cache_dir() / "analyses"), meter)
            if checker is not None and span.commits:
                with step(meter, "type checkers"):
                    analysis = with_types(analysis, checker(own), own)
            with step(meter, "planning rewrites"):
                done = plan(trees, span.old, span.new, analysis.impacts, checker)
                done = laid_out_plan(done, own, formatter_settings(own.root))
            diff = unified_diff(own, done.changes, below_repository(own.root))
            unread = tuple(_unread(own, own.tree(trees.tables)))
            return Migrated(done, unread, diff, followed.releases)


def _checkers(config: Config, engine: str | None) -> Sequence[str] | None:
    """The type checkers to ask, None for all that are installed."""
    if engine == "all":
        return None
    return [name for name in config.engines if name != "contracts"] if engine is None else ()


def _unread(backend: Backend, tree: ModuleTree) -> Iterator[str]:
    """The files whose contracts nobody knows, or that could not be written back, with the reason."""
    yield from (f"{path}: {why}" for path, why in backend.skipped)
    for file in backend.files:
        try:
            file.text.decode("utf-8")
        except UnicodeDecodeError:
            yield f"{file.path}: it is not UTF-8"
            continue
        table = tree.table(file.module)
        if table is not None and table.problem is not None:
            yield f"{file.path}: {table.problem}"
