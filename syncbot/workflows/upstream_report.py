"""The report on what one upstream's changes break in the backend."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
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
from syncbot.impact.runs import RunSummary
from syncbot.impact.session import opened
from syncbot.impact.trees import Trees
from syncbot.lanes.matrix import Matrix
from syncbot.planning.fixes import planned_fixes, unified_diff, with_fixes
from syncbot.report.advice import project_of
from syncbot.report.build import build
from syncbot.report.covered import Covered
from syncbot.report.evidence import evidence
from syncbot.report.links import kinds_page
from syncbot.report.model import Commands, Report
from syncbot.typecheck.model import TypecheckResult
from syncbot.upgrade.collect import upgrade
from syncbot.upgrade.model import Upgrade
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import Span
from syncbot.upstream.following import Source, followed_source
from syncbot.upstream.git_command import without_credentials
from syncbot.upstream.model import Meter, step
from syncbot.upstream.moments import zone
from syncbot.upstream.opening import Upstream, open_source
from syncbot.upstream.release_choice import Between, During
from syncbot.upstream.releases import Releases
from syncbot.workflows.accepted_findings import accepted, known_in
from syncbot.workflows.asked_engines import prover, states, type_checked
from syncbot.workflows.check_options import CheckOptions
from syncbot.workflows.checked_span import Period, checked_span, ends_in_words, pinned_version
from syncbot.workflows.first_steps import is_plugin, without_range
from syncbot.workflows.further_commands import unjudged_list, whole_report
from syncbot.workflows.mending_command import mending_command
from syncbot.workflows.project import matrix_of, patches_of
from syncbot.workflows.witness import witnessed
from syncbot.worktree import below_repository

# Where a period has no beginning.
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def called(config: Config, name: str | None) -> str:
    """Return the name of an upstream in kept files: the one that was requested, without credentials."""
    return without_credentials(name or config.upstream or "")


def report_on(
    config: Config, own: Backend, name: str | None, asked: CheckOptions, period: Period, meter: Meter
) -> Report:
    """Return the report on one upstream, None being the default one. Raises UsageError for a wrong range,
    ConfigurationError, EnvironmentFailure for an unreadable upstream."""
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
    """Return the other changes that an upgrade brings; None unless they are requested."""
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
        covered=Covered(called(config, name), tag, tag),
        newest_release=last,
    )


def _tags(followed: Upstream) -> Mapping[str, str] | None:
    """The tags of releases by the commits that stand for them; None where commits are followed."""
    return followed.repository.tagged_commits() if followed.kind == "release" else None


def _known(config: Config, followed: Upstream, span: Span, asked: CheckOptions) -> KnownFindings | None:
    """Return the findings of an upstream that a file has as known. A check of only a part of all findings
    reports for no commit that a finding is gone."""
    if asked.new_baseline is not None:
        return None
    whole = asked.only is None and not asked.engines
    commits = frozenset(commit.sha for commit in span.commits) if whole else frozenset[str]()
    return known_in(config, asked.baseline, followed.name, commits)


def _covered(config: Config, name: str | None, followed: Upstream, span: Span, lacking: bool) -> Covered:
    """Return the range that a report covers; releases by their tags, by which they are imported again. A
    report that lacks an engine's findings covers nothing, so that the next one repeats the range."""
    tags = _tags(followed) or {}
    end = span.old if lacking else span.new
    return Covered(called(config, name), tags.get(span.old, span.old), tags.get(end, end))


def _below(root: Path, folder: Path) -> str:
    """The path from one folder to another inside it, with a slash at the end; empty where they are one."""
    inside = folder.resolve().relative_to(root.resolve()).as_posix()
    return "" if inside == "." else f"{inside}/"
