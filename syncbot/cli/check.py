"""``syncbot check``: what upstream's changes break in the backend, where and why."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import click

from syncbot import config as configuration
from syncbot.cli.progress import meter
from syncbot.config import Config
from syncbot.contracts.sources import Backend
from syncbot.errors import UsageError
from syncbot.garbage_collection import resting
from syncbot.impact.analysis import analyse, with_types
from syncbot.impact.caching.analysis_cache import Memory
from syncbot.impact.caching.prefetch_worker import ahead
from syncbot.impact.caching.table_worker import making
from syncbot.impact.facts.span import facts_of_span
from syncbot.impact.importance import line_counts
from syncbot.impact.model import Impact, Verdict
from syncbot.impact.session import backend_of, opened
from syncbot.lanes import matrix as matrices
from syncbot.lanes.matrix import Matrix
from syncbot.patching import model as patches
from syncbot.patching.model import Patch
from syncbot.patching.proposals import with_fixes
from syncbot.report.advice import project_of
from syncbot.report.build import build
from syncbot.report.catalogue import languages, words
from syncbot.report.formats import WORDED, formats, write
from syncbot.report.model import Report
from syncbot.typecheck.registry import find
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.catalog import Upstream, open_upstream
from syncbot.upstream.commit_range import Span, between, during
from syncbot.upstream.model import Meter
from syncbot.upstream.moments import moment, zone

_FAIL = {
    "breaks": {Verdict.BREAKS},
    "at-risk": {Verdict.BREAKS, Verdict.AT_RISK, Verdict.DRIFT},
    "never": set(),
}


@click.command(short_help="Say which upstream commits break which of our lines, and why.")
@click.option("--since", metavar="WHEN", help="Commits from then on, such as yesterday or 2026-01-23.")
@click.option("--until", metavar="WHEN", help="Commits up to then, such as '2 days ago'.")
@click.option(
    "--from", "old", metavar="REF", help="After this tag, sha or version, such as 0.32.0 or latest~1."
)
@click.option("--to", "new", metavar="REF", help="Up to this tag, sha or version, such as latest.")
@click.option(
    "--upstream",
    "upstreams",
    multiple=True,
    metavar="NAME|URL|PATH",
    help="Another upstream, such as ../vllm. Repeatable: a section for each.",
)
@click.option(
    "--all-upstreams",
    is_flag=True,
    help="All configured upstreams, such as --all-upstreams --since yesterday.",
)
@click.option(
    "--backend",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)
@click.option(
    "--format", "style", type=click.Choice(formats()), default="text", show_default=True,
    help="How the report is written, such as --format json.",
)  # fmt: skip
@click.option(
    "--engine", "engines", multiple=True,
    type=click.Choice(("contracts", *(engine.name for engine in find()))),
    help="Only these engines, such as --engine contracts. Repeatable; default: all that are installed.",
)  # fmt: skip
@click.option(
    "--lang", default="en", show_default=True, metavar=f"[{'|'.join(languages())}]",
    help="Language of the report, such as zh.",
)  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path), help="Write the report there, such as report.md.")
@click.option(
    "--no-prose", is_flag=True,
    help="Ask no language model, although one is configured: syncbot check --no-prose.",
)  # fmt: skip
@click.option(
    "--fail-on", type=click.Choice(sorted(_FAIL)), default="breaks", show_default=True,
    help="From which verdict on the exit code is 1, such as --fail-on never.",
)  # fmt: skip
@resting()
def command(
    since: str | None,
    until: str | None,
    old: str | None,
    new: str | None,
    upstreams: tuple[str, ...],
    all_upstreams: bool,
    backend: Path,
    engines: tuple[str, ...],
    style: str,
    lang: str,
    output: Path | None,
    no_prose: bool,
    fail_on: str,
) -> int:
    """Say which upstream commits break which lines of the backend, and why.

    Without a range: from the matrix's baseline to the newest commit.

    The text is for a terminal: what breaks, and of all else the numbers. Markdown and html are the whole
    report, a section for each commit; json and sarif are for programs, github writes annotations of a
    workflow's run.

    Example: syncbot check --since yesterday --format markdown --lang zh --output report.md
    """
    config = configured(backend)
    asked = Asked(period(config, since, until, old, new), old, new, engines)
    own = backend_of(config)
    with meter() as progress:
        names = _upstreams(config, upstreams, all_upstreams)
        reports = [report_on(config, own, name, asked, progress) for name in names]
    if config.llm is not None and style in WORDED and not no_prose:
        from syncbot.report.prose.write import with_prose

        reports = with_prose(reports, config.llm, words(lang), os.environ, cache_dir())
    write(reports, style, lang, output)
    impacts = [impact for report in reports for impact in report.impacts]
    return int(any(i.verdict in _FAIL[fail_on] for i in impacts if not i.tests_only))


@dataclass(frozen=True, slots=True)
class Asked:
    """The range as it was asked for, and the engines."""

    period: tuple[datetime | None, datetime | None]
    old: str | None
    new: str | None
    engines: tuple[str, ...]


def _upstreams(config: Config, named: Sequence[str], every: bool) -> Sequence[str | None]:
    """The upstreams to report on, each once; None is the default one."""
    if every and named:
        raise UsageError("--all-upstreams and --upstream: give one of them")
    if every and not config.upstreams:
        raise UsageError("no upstream is configured: add [tool.syncbot.upstreams.NAME]")
    return tuple(config.upstreams) if every else tuple(dict.fromkeys(named)) or (None,)


def report_on(config: Config, own: Backend, name: str | None, asked: Asked, progress: Meter) -> Report:
    """The report on one upstream, None being the default one.

    Raises UsageError for a range that it does not have, EnvironmentFailure where it cannot be read.
    """
    known = matrix_of(config)
    refs = [ref for ref in (asked.old, asked.new) if ref is not None]
    pinned = _pinned(config, name, known)
    with open_upstream(config, name, cache_dir(), [*refs, *pinned], progress) as followed:
        span = _span(followed, pinned, asked)
        # The checkers and git are processes of their own: they run beside the contract engine.
        with ThreadPoolExecutor(2) as beside:
            lines = beside.submit(line_counts, followed.repository, span.old, span.new)
            checked = beside.submit(_type_checked, config, followed, own, span, asked.engines, progress)
            with (
                opened(config, followed, own, cache_dir()) as trees,
                ahead(trees, span, cache_dir() / "tables"),
                making(trees, cache_dir() / "tables"),
            ):
                analysis = analyse(trees, span, Memory(cache_dir() / "analyses"))
                guilty = [impact.commit for impact in analysis.impacts]
                facts = facts_of_span(trees, span, cache_dir(), guilty)
                below = _below(config.root, own.root)
                project = project_of(own, trees.tables, known, patches_of(config), below)
            if asked.engines and "contracts" not in asked.engines:
                analysis = replace(analysis, impacts=())
            analysis = with_types(analysis, checked.result(), own)
        return build(
            followed.name,
            _ends(followed, span, asked.period, zone(config.timezone)),
            analysis,
            with_fixes(analysis.impacts),
            lines.result(),
            followed.web,
            zone(config.timezone),
            facts,
            project,
            _below(_repository_root(own.root), own.root),
        )


def _repository_root(folder: Path) -> Path:
    """The root of the git repository that a folder lies in; the folder itself where it lies in none."""
    whole = folder.resolve()
    return next((place for place in (whole, *whole.parents) if (place / ".git").exists()), whole)


def _below(root: Path, folder: Path) -> str:
    """The path from one folder to another inside it, with a slash at the end; empty where they are one."""
    inside = folder.resolve().relative_to(root.resolve()).as_posix()
    return "" if inside == "." else f"{inside}/"


def _type_checked(
    config: Config,
    upstream: Upstream,
    backend: Backend,
    span: Span,
    engines: Sequence[str],
    progress: Meter,
) -> Sequence[Impact]:
    """What the type checkers find; nothing where none is wanted or installed."""
    wanted = [engine for engine in engines if engine != "contracts"]
    if (engines and not wanted) or not span.commits:
        return ()
    from syncbot.typecheck.engine import run

    progress("type checkers", 0, None)
    result = run(
        backend.root,
        config.sources,
        upstream.repository,
        span.old,
        span.new,
        span.commits,
        cache_dir(),
        config.root / config.environment if config.environment else None,
        wanted or None,
        packages=upstream.packages,
        tests=config.tests,
    )
    progress("type checkers", 1, 1)
    for name, reason in result.unavailable:
        if name in wanted:
            raise UsageError(reason)
    return result.impacts


def configured(backend: Path) -> Config:
    """The configuration of a backend's repository; where it names no upstream, what the one of the current
    folder says of upstreams holds for it too.

    Raises UsageError where the folder does not exist, ConfigurationError where it is not valid.
    """
    if not backend.is_dir():
        raise UsageError(f"{backend} is no folder: name the root of the backend's repository with --backend")
    config = configuration.load(backend)
    if config.upstreams or backend.resolve() == Path().resolve():
        return config
    here = configuration.load(Path())
    shared = (
        *("upstreams", "upstream", "siblings", "device_apis", "environment", "timezone"),
        *("operator_registrars", "kernel_decorators"),
    )
    return config.model_copy(update={name: getattr(here, name) for name in shared})


def period(
    config: Config, since: str | None, until: str | None, old: str | None, new: str | None
) -> tuple[datetime | None, datetime | None]:
    """The moments that were asked for. Raises UsageError for what is none, and beside references."""
    if (since or until) and (old or new):
        raise UsageError("--since and --until name moments, --from and --to references: give one kind")
    return (
        moment(since, config.timezone) if since is not None else None,
        moment(until, config.timezone) if until is not None else None,
    )


def matrix_of(config: Config) -> Matrix | None:
    """The project's matrix, if it has one. Raises ConfigurationError."""
    file = config.root / config.matrix
    return matrices.load(file) if file.exists() else None


def patches_of(config: Config) -> Sequence[Patch]:
    """The project's patches, if it has any. Raises ConfigurationError."""
    folder = config.root / config.patches
    return patches.load(folder) if folder.is_dir() else ()


def _pinned(config: Config, name: str | None, matrix: Matrix | None) -> Sequence[str]:
    """The versions of an upstream that the lanes stand for, that of the baseline first.

    Of the upstream that the matrix is of, these are the lanes themselves; of another one, what their stacks
    pin of its distribution.
    """
    if matrix is None:
        return ()
    lanes = sorted(matrix, key=lambda lane: lane.tag != matrix.baseline)
    if name is None or name == matrix.upstream or name not in config.upstreams:
        return [lane.tag for lane in lanes]
    stacks = (lane.stack.get(config.upstreams[name].release or "") for lane in lanes)
    return list(dict.fromkeys(version for version in stacks if version is not None))


def _span(upstream: Upstream, pinned: Sequence[str], asked: Asked) -> Span:
    if asked.period != (None, None):
        return during(upstream.repository, upstream.head, *asked.period)
    if asked.old is None and not pinned:
        raise UsageError("name a range: --since yesterday, or --from REF (no matrix names a baseline here)")
    return between(upstream.repository, asked.old or pinned[0], asked.new or upstream.head)


def _ends(
    upstream: Upstream, span: Span, period: tuple[datetime | None, datetime | None], zone: tzinfo | None
) -> tuple[str, str]:
    """The ends of the range in words: the tag of a commit that has one, else its short sha; of a period
    without commits, where both ends are one commit, its moments."""
    since, until = period
    if since is not None and not span.commits:
        moments = (since, until or datetime.now(UTC))
        first, last = (f"{moment.astimezone(zone):%Y-%m-%d %H:%M}" for moment in moments)
        return first, last
    tags = {
        upstream.repository.resolve(f"refs/tags/{tag}"): tag for _, tag in upstream.repository.version_tags()
    }
    return tags.get(span.old, span.old[:10]), tags.get(span.new, span.new[:10])
