"""What upstream's changes break in the backend, where and why: one report for each upstream."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from syncbot.accepting.known import KnownFindings
from syncbot.config import Config
from syncbot.contracts.sources import Backend
from syncbot.errors import UsageError
from syncbot.impact.agreement import with_types
from syncbot.impact.analysis import Analysis, analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.changed_files import line_counts
from syncbot.impact.facts.span import facts_of_span, of_interest
from syncbot.impact.model import EngineState
from syncbot.impact.runs import RunSummary
from syncbot.impact.session import backend_of, opened
from syncbot.impact.trees import Trees
from syncbot.lanes.matrix import Matrix
from syncbot.planning.fixes import planned_fixes, unified_diff, with_fixes
from syncbot.report.advice import project_of
from syncbot.report.build import build
from syncbot.report.catalogue import words
from syncbot.report.covered import LAST, Covered
from syncbot.report.evidence import evidence
from syncbot.report.failing import FAILING
from syncbot.report.links import kinds_page
from syncbot.report.model import Commands, Report
from syncbot.typecheck.model import TypecheckResult
from syncbot.upgrade.collect import upgrade
from syncbot.upgrade.model import Upgrade
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import Span
from syncbot.upstream.following import By, Source, followed_source
from syncbot.upstream.git_command import without_credentials
from syncbot.upstream.model import Meter, no_meter, step
from syncbot.upstream.moments import moment, zone
from syncbot.upstream.opening import Upstream, open_source
from syncbot.upstream.release_choice import Between, During
from syncbot.upstream.releases import Releases
from syncbot.workflows.accepted_findings import accepted, keep_told, known_in, write_known
from syncbot.workflows.asked_engines import prover, states, type_checked
from syncbot.workflows.checked_span import Period, checked_span, ends_in_words, pinned_version
from syncbot.workflows.first_steps import is_plugin, taken, without_range, without_upstream
from syncbot.workflows.further_commands import unjudged_list, whole_report
from syncbot.workflows.mending_command import mending_command
from syncbot.workflows.project import configured, matrix_of, patches_of
from syncbot.workflows.witness import witnessed
from syncbot.worktree import below_repository

# Where a period has no beginning.
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """A range of moments (``since``, ``until``, such as ``yesterday``) or of references (after ``old`` up to
    ``new``); without one, from the matrix's baseline to the newest commit. ``upstreams`` are names, URLs or
    paths instead of the configured default, ``all_upstreams`` are all configured ones. ``since`` may be
    ``last-report``: it goes on where the report in ``output``, or the published one, ended. ``engines``
    replace the configured ones (``contracts``, ``pyrefly`` …). ``prose`` is the language for a configured
    language model; None asks no model. With ``diff``, a report has the edits that fix what breaks.
    ``witness`` imports upstream on both sides of the range, to show every break, or the one whose id begins
    so. ``only`` leaves the impact with this id alone in the report. ``by`` follows commits or releases, where
    the configuration leaves it open. ``baseline`` is a file of known findings instead of the configured one;
    with ``new_baseline`` no finding counts as known. With ``run`` the backend's imports and tests run on both
    ends, the tests for so many seconds of processor. With ``upgrade`` a report has what else the range brings
    for the names that the project uses."""

    backend: Path = Path()
    since: str | None = None
    until: str | None = None
    old: str | None = None
    new: str | None = None
    upstreams: tuple[str, ...] = ()
    all_upstreams: bool = False
    engines: tuple[str, ...] = ()
    prose: str | None = None
    diff: bool = False
    witness: str | None = None
    run: float | None = None
    output: Path | None = None
    only: str | None = None
    by: By | None = None
    baseline: Path | None = None
    new_baseline: Path | None = None
    upgrade: bool = False

    @property
    def is_dated(self) -> bool:
        """Whether a period is asked for, and not two ends."""
        return self.since is not None or self.until is not None


def check(options: CheckOptions, meter: Meter = no_meter) -> tuple[Report, ...]:
    """Return one report for each upstream, in the order that you asked for. Raises UsageError for a wrong
    range, ConfigurationError, EnvironmentFailure for an unreadable upstream."""
    config = configured(options.backend)
    last: Mapping[str, Covered] = {}
    if options.since == LAST and not options.until and not options.old:
        # It loads what talks to GitHub, which takes longer than all the rest of starting.
        from syncbot.workflows.last_report import last_reports

        last = last_reports(config, options.output)
    period = _period(config, options)
    own = backend_of(config)
    names = _upstreams(config, options.upstreams, options.all_upstreams)
    found = taken(config, own) if config.upstream is None and names == (None,) else None
    if found is not None:
        names = (found.name,)
        options = options if any(period) or options.old else replace(options, old=found.start)
    elif config.upstream is None and names == (None,):
        raise UsageError(without_upstream(config, own))
    reports = []
    for name in names:
        asked, dates = _after(options, period, last.get(_called(config, name)))
        report = _report(config, own, name, asked, dates, meter)
        reports.append(replace(report, taken=str(found or "")))
    if options.only is None:
        keep_told(config, options.engines, reports)
    if config.llm is not None and options.prose is not None:
        from syncbot.report.prose.write import with_prose

        reports = with_prose(reports, config.llm, words(options.prose), os.environ, cache_dir())
    return tuple(reports)


def write_baseline(options: CheckOptions, file: Path, meter: Meter = no_meter) -> str:
    """Write what a check finds to a file, as known from now on, and return in words what was written. Raises
    what :func:`check` raises."""
    reports = check(replace(options, new_baseline=file), meter)
    return write_known(configured(options.backend), file, reports)


def unfinished(reports: Sequence[Report]) -> tuple[EngineState, ...]:
    """The engines that could not finish: what they would find is lacking in a report."""
    return tuple(engine for report in reports for engine in report.unfinished)


def fails(reports: Sequence[Report], fail_on: str) -> bool:
    """Whether an impact on more than tests has a verdict that ``fail_on`` (a key of FAILING) stands for, or
    so little was compared that a report says nothing. With ``never`` nothing fails."""
    if FAILING[fail_on] and any(report.says_nothing for report in reports):
        return True
    impacts = (impact for report in reports for impact in report.impacts)
    return any(impact.verdict in FAILING[fail_on] for impact in impacts if not impact.tests_only)


def _called(config: Config, name: str | None) -> str:
    """What an upstream is called in what is kept: as it was asked for."""
    return without_credentials(name or config.upstream or "")


def _after(options: CheckOptions, period: Period, last: Covered | None) -> tuple[CheckOptions, Period]:
    """What to look at of an upstream: what came after its last report, if that is known."""
    if last is None:
        return options, period
    return replace(options, old=last.new), (None, None)


def _period(config: Config, options: CheckOptions) -> Period:
    since, until = options.since, options.until
    if (since or until) and (options.old or options.new):
        raise UsageError(
            "--since and --until give a range of time, --from and --to a range of commits: use one kind"
        )
    # Where nothing was reported yet, the first report is of a day.
    since = "yesterday" if since == LAST else since
    start = moment(since, config.timezone) if since is not None else None
    end = moment(until, config.timezone) if until is not None else None
    if start is not None and end is not None and start > end:
        raise UsageError(f"--since {since} is after --until {until}: exchange them")
    return start, end


def _upstreams(config: Config, named: Sequence[str], every: bool) -> Sequence[str | None]:
    """The upstreams to report on, each once; None is the default one."""
    if every and named:
        raise UsageError("--all-upstreams and --upstream: give one of them")
    if every and not config.upstreams:
        raise UsageError("no upstream is configured: add [tool.syncbot.upstreams.NAME] to pyproject.toml")
    return tuple(config.upstreams) if every else tuple(dict.fromkeys(named)) or (None,)


def _report(
    config: Config, own: Backend, name: str | None, asked: CheckOptions, period: Period, meter: Meter
) -> Report:
    """The report on one upstream, None being the default one."""
    known = matrix_of(config)
    source = followed_source(config, name, cache_dir(), asked.by)
    old = asked.old or pinned_version(config, name, known)
    wanted: Between | During
    if period != (None, None):
        wanted = During(*period)
        if source.releases is not None and not source.releases.any_during(wanted, meter):
            ended = states(asked.engines or config.engines, TypecheckResult(()))
            return replace(_without_releases(config, name, source, source.releases, period), engines=ended)
    elif old is None:
        raise UsageError(without_range(config, source.name))
    else:
        wanted = Between(old, asked.new or "latest")
    with open_source(config, source, wanted, cache_dir(), meter) as followed:
        span = checked_span(followed, old, asked.new, period)
        known_before = _known(config, followed, span, asked)
        engines = asked.engines or config.engines
        # The checkers and git are processes of their own: they run beside the contract engine.
        with ThreadPoolExecutor(2) as beside:
            lines = beside.submit(line_counts, followed.repository, span.old, span.new)
            checked = beside.submit(type_checked, config, followed, own, span, engines, meter)
            with opened(config, followed, own, cache_dir()) as trees:
                analysis = analyse(trees, span, AnalysisCache(cache_dir() / "analyses"), meter)
                guilty = [impact.commit for impact in analysis.impacts]
                facts = facts_of_span(trees, span, cache_dir(), of_interest(span.commits, guilty))
                below = _below(config.root, own.root) if config.apart is None else ""
                project = project_of(own, trees.tables, known, patches_of(config), below)
                if "contracts" not in engines:
                    analysis = replace(analysis, impacts=())
                analysis = with_types(analysis, checked.result().impacts, own)
                run = None
                if asked.run is not None:
                    analysis, run = _run(config, followed, trees, analysis, asked.run, meter)
                if asked.only is not None:
                    analysis = replace(
                        analysis, impacts=tuple(i for i in analysis.impacts if i.id == asked.only)
                    )
                with step(meter, "planning rewrites"):
                    plans = cache_dir() / "plans"
                    checker = prover(config, followed, span, engines, checked.result())
                    planned = planned_fixes(trees, span.old, span.new, analysis.impacts, plans, checker)
                brings = _brings(config, asked, trees, analysis, meter)
                accepting = accepted(config, trees, span, analysis.impacts, known_before)
                analysis = replace(analysis, impacts=accepting.left)
                if asked.witness is not None:
                    shown = witnessed(config, known, followed, trees, analysis, asked.witness, meter)
                    analysis = replace(analysis, impacts=tuple(shown))
        ends = ends_in_words(followed, span, period, zone(config.timezone))
        impacts = with_fixes(analysis.impacts, planned)
        report = build(
            followed.name,
            ends,
            analysis,
            impacts,
            lines.result(),
            followed.web,
            zone(config.timezone),
            facts,
            project,
            below_repository(own.root),
            states(engines, checked.result()),
            _tags(followed),
        )
        diff = unified_diff(own, planned.texts, report.folder) if asked.diff else ""
        covered = _covered(config, name, followed, span, bool(report.unfinished))
        moments = (asked.since, asked.until) if any(period) else None
        return replace(
            report,
            diff=diff,
            commands=Commands(
                whole=whole_report(asked.backend, name, moments, ends, asked.by, asked.engines),
                unjudged=unjudged_list(asked.backend, name, covered.old),
                mending=mending_command(config, asked.backend, name, ends, known, impacts),
            ),
            dated=asked.is_dated,
            is_named=name is not None,
            is_backend=_is_backend(config, own, known),
            kinds_page=kinds_page(config),
            acceptance=accepting,
            evidence=evidence(impacts, {file.path: file.text for file in own.files}, planned.texts),
            covered=covered,
            run=run,
            upgrade=brings,
        )


def _run(
    config: Config, followed: Upstream, trees: Trees, analysis: Analysis, budget: float, meter: Meter
) -> tuple[Analysis, RunSummary | None]:
    # What reads logs is of no use to any other check.
    from syncbot.workflows.run import with_run

    return with_run(config, followed, trees, analysis, patches_of(config), budget, meter)


def _brings(
    config: Config, asked: CheckOptions, trees: Trees, analysis: Analysis, meter: Meter
) -> Upgrade | None:
    """What else an upgrade brings, where that is asked for."""
    if not asked.upgrade:
        return None
    return upgrade(trees, analysis.span, analysis.impacts, config.backend_path, meter)


def _is_backend(config: Config, own: Backend, known: Matrix | None) -> bool:
    """Whether a project has lanes, or is a plugin."""
    return known is not None or is_plugin(config, own)


def _without_releases(
    config: Config, name: str | None, source: Source, releases: Releases, period: Period
) -> Report:
    """The report on a period in which no release came: the index's list tells, nothing is brought in."""
    local = zone(config.timezone)
    newest = releases.newest()
    tag, moment = (f"v{newest[0]}", newest[1]) if newest is not None else ("", None)
    since, until = period
    ends = [
        f"{end.astimezone(local):%Y-%m-%d %H:%M}" for end in (since or _BEGINNING, until or datetime.now(UTC))
    ]
    nothing = Analysis(Span(tag, tag, ()), (), ())
    report = build(source.name, (ends[0], ends[1]), nothing, (), web=None, zone=local, releases={})
    last = (tag, moment.astimezone(local), source.web or "URL") if moment is not None else None
    return replace(
        report,
        kinds_page=kinds_page(config),
        covered=Covered(_called(config, name), tag, tag),
        newest_release=last,
    )


def _tags(followed: Upstream) -> Mapping[str, str] | None:
    """The tags of releases by the commits that stand for them; None where commits are followed."""
    return followed.repository.tagged_commits() if followed.kind == "release" else None


def _known(config: Config, followed: Upstream, span: Span, asked: CheckOptions) -> KnownFindings | None:
    """What a file says was known of an upstream before. A check of a part of all findings tells of no commit
    that anything is gone."""
    if asked.new_baseline is not None:
        return None
    whole = asked.only is None and not asked.engines
    commits = frozenset(commit.sha for commit in span.commits) if whole else frozenset[str]()
    return known_in(config, asked.baseline, followed.name, commits)


def _covered(config: Config, name: str | None, followed: Upstream, span: Span, lacking: bool) -> Covered:
    """What a report tells of; releases by their tags, by which they are imported again. One that lacks what
    an engine would find has to be told again."""
    tags = _tags(followed) or {}
    end = span.old if lacking else span.new
    return Covered(_called(config, name), tags.get(span.old, span.old), tags.get(end, end))


def _below(root: Path, folder: Path) -> str:
    """The path from one folder to another inside it, with a slash at the end; empty where they are one."""
    inside = folder.resolve().relative_to(root.resolve()).as_posix()
    return "" if inside == "." else f"{inside}/"
