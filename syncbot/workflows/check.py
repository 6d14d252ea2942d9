"""Reports the breaks that upstream causes in the backend, where and why: one report for each upstream."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.impact.model import EngineState
from syncbot.impact.session import backend_of
from syncbot.report.catalogue import words
from syncbot.report.covered import LAST, Covered
from syncbot.report.failing import FAILING
from syncbot.report.model import Report
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.moments import moment
from syncbot.workflows.accepted_findings import keep_told, write_known
from syncbot.workflows.check_options import CheckOptions
from syncbot.workflows.checked_span import Period
from syncbot.workflows.first_steps import taken, without_upstream
from syncbot.workflows.project import configured
from syncbot.workflows.upstream_report import called, report_on


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
        asked, dates = _after(options, period, last.get(called(config, name)))
        report = report_on(config, own, name, asked, dates, meter)
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


def _after(options: CheckOptions, period: Period, last: Covered | None) -> tuple[CheckOptions, Period]:
    """Return one upstream's options and period: the changes since its last report, if that is known."""
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
