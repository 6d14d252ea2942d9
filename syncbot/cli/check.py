"""``syncbot check``: say what upstream's changes break in the backend, where and why."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from syncbot.cli import options, options_of_runs
from syncbot.cli.progress import meter
from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.garbage_collection import resting
from syncbot.report.catalogue import languages
from syncbot.report.failing import FAILING
from syncbot.report.formats import UPGRADE, WORDED, formats, write
from syncbot.typecheck.registry import names


@click.command(short_help="Say which upstream commits break which of our lines, and why.")
@options.commits
@options.upstreams
@options.by
@click.option(
    "--all-upstreams", is_flag=True,
    help="Check every configured upstream, such as --all-upstreams --since yesterday.",
)  # fmt: skip
@options.backend
@options.written_as(formats())
@click.option(
    "--engine", "engines", multiple=True,
    type=click.Choice(("contracts", *names())),
    help="Use only this engine, such as --engine contracts. Repeatable. [default: those that are configured, "
         "else contracts]",
)  # fmt: skip
@click.option(
    "--allow-incomplete", is_flag=True,
    help="Go on where an engine could not finish, instead of exit code 3: syncbot check --allow-incomplete.",
)  # fmt: skip
@options.language(languages())
@options.output
@click.option(
    "--no-prose", is_flag=True,
    help="Do not ask the configured language model: syncbot check --no-prose.",
)  # fmt: skip
@click.option(
    "--diff", is_flag=True, help="Show the edits that fix what breaks, in the text: syncbot check --diff."
)
@click.option(
    "--witness", is_flag=True,
    help="Show what breaks by importing upstream on both sides: syncbot check --witness.",
)  # fmt: skip
@click.option(
    "--run", is_flag=True,
    help="Install both ends, import every module and run the tests on them: syncbot check --run.",
)  # fmt: skip
@click.option(
    "--budget", callback=options.seconds, metavar="TIME",
    help="Processor time for the tests of --run, such as --budget 30m. [default: 10m]",
)  # fmt: skip
@click.option(
    "--only",
    metavar="ID",
    help="Tell this impact alone: gone once you have fixed it, such as --only 3f2a91c04d.",
)
@click.option(
    "--baseline", type=click.Path(path_type=Path), metavar="FILE",
    help="Tell apart what this file of known findings has, such as known.toml. [default: the configured one]",
)  # fmt: skip
@click.option(
    "--write-baseline", "new_baseline", type=click.Path(path_type=Path), metavar="FILE",
    help="Write what is found to this file of known findings, such as known.toml, and report nothing.",
)  # fmt: skip
@click.option(
    "--fail-on", type=click.Choice(sorted(FAILING)), default="breaks", show_default=True,
    help="Exit with 1 if an impact has this verdict or a worse one, such as --fail-on never.",
)  # fmt: skip
@click.option(
    "--skip-empty", is_flag=True, help="Write no report where no commit came in: syncbot check --skip-empty."
)
@resting()
def command(
    style: str,
    lang: str,
    output: Path | None,
    no_prose: bool,
    witness: bool,
    run: bool,
    budget: float | None,
    fail_on: str,
    skip_empty: bool,
    allow_incomplete: bool,
    **asked: Any,
) -> int:
    """Say which upstream commits break which lines of the backend, and why.

    The range is one of time (--since, --until) or one of commits (--from, --to). Without a range, it goes
    from the version that the matrix names as baseline to the newest commit. --since last-report goes on where
    the report in --output ended, else the newest one that was published as an issue (GITHUB_TOKEN).

    The formats: text is for a terminal and shows what breaks, with counts of everything else. markdown and
    html are the whole report, with a section for each commit. json and sarif are for programs. github
    prints annotations for a workflow run. upgrade is Markdown for who takes a new version: what breaks, what
    acts otherwise, what is new, what installing needs, what stays.

    --run imports the plugin's modules and runs its tests on both ends; the report has what fails on the newer
    end alone beside what reading found.

    With a file of known findings (--write-baseline, --baseline) what it has is counted, and only what is new
    fails.

    Example: syncbot check --since yesterday --format markdown --lang zh --output report.md
    """
    from syncbot.workflows.check import check, fails, unfinished, write_baseline
    from syncbot.workflows.check_options import CheckOptions

    _refuse_contradictions(style, asked)
    asked["run"] = options_of_runs.tests_seconds(run, budget)
    if asked["new_baseline"] is not None:
        if asked["only"] or output or asked["baseline"]:
            raise UsageError("--write-baseline goes with none of --only, --output and --baseline")
        with meter() as progress:
            click.echo(write_baseline(CheckOptions(**asked), asked["new_baseline"], progress))
        return 0
    prose = lang if style in WORDED and not no_prose else None
    with meter() as progress:
        reports = check(
            CheckOptions(
                **asked,
                prose=prose,
                witness="" if witness else None,
                output=output,
                upgrade=style == UPGRADE,
            ),
            progress,
        )
    for told in filter(None, (report.taken for report in reports)):
        click.echo(f"syncbot: {told}.", err=True)
    if skip_empty and not any(report.commits for report in reports):
        click.echo("No commit came in: no report is written.", err=True)
        return int(fails(reports, fail_on))
    write(reports, style, lang, output)
    lacking = ", ".join(dict.fromkeys(engine.name for engine in unfinished(reports)))
    if lacking and not allow_incomplete:
        raise EnvironmentFailure(
            f"the report lacks what {lacking} would find: try again, or leave it out (--engine) or lacking "
            "(--allow-incomplete)"
        )
    return int(fails(reports, fail_on))


def _refuse_contradictions(style: str, asked: Mapping[str, Any]) -> None:
    """Raise UsageError for options that do not go together."""
    if asked["only"] is not None and not re.fullmatch("[0-9a-f]{10}", asked["only"]):
        raise UsageError(
            "--only takes the id of an impact, as reports print it: ten digits and letters a to f"
        )
    if asked["diff"] and style != "text":
        raise UsageError("--diff goes with --format text: a report for programs has the rewrites as rules")
