"""``syncbot matrix``: the matrix as tables, and as what other programs read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncbot.cli import options
from syncbot.errors import ConfigurationError, UsageError
from syncbot.report.untrusted_text import json_text, printable

if TYPE_CHECKING:
    from syncbot.lanes.matrix import Lane, Matrix

_OLDEST_PYTHON = (3, 11)
_PIPED = 200
_MORE = """\
claimed: the checks that the lane's tier in the matrix asks for. unsupported: the lane refuses, and says why.
--all shows each check, --stale those without evidence of the sources as they are."""


@click.command(short_help="Show which upstream versions the backend runs on.")
@click.option(
    "--format", "form", type=click.Choice(["table", "json", "markdown", "github"]), default="table",
    show_default=True,
    help="How to print it: --format markdown gives tables, --format github the job matrix of a workflow.",
)  # fmt: skip
@click.option("--all", "cells", is_flag=True, help="Show every claimed check of every lane, not the summary.")
@click.option(
    "--stale", is_flag=True,
    help="Only list claimed checks without evidence of what is there now; exit with 1 if there is one.",
)  # fmt: skip
@click.option(
    "--evidence", "copies", multiple=True, type=click.Path(path_type=Path, dir_okay=False),
    help="First write into the matrix what is newer in a copy, such as job-1/compat_matrix.yaml, and in the "
    "evidence/ beside it. Repeatable.",
)  # fmt: skip
@options.backend
def command(form: str, cells: bool, stale: bool, copies: tuple[Path, ...], backend: Path) -> int:
    """Show which upstream versions the backend runs on, and how that is known.

    A status is evidence: a command, its date, and the digest of what the check executed. If any of that
    changed since, the status is stale; without evidence, unknown. The tier of a lane says which checks it
    claims; the others do not appear. `syncbot apply` and `syncbot verify` note what is stale; --stale looks
    at the sources as they are now, and at the releases of a plugin.

    If jobs verified different lanes at the same time, each wrote into its own copy of the matrix; --evidence
    puts the copies together.

    Example: syncbot matrix --stale
    """
    from syncbot import config as configuration
    from syncbot.lanes import matrix as matrices
    from syncbot.lanes.merged_matrix import merged_matrix
    from syncbot.report.inert_console import console
    from syncbot.report.matrix import as_markdown, for_terminal, summary_table
    from syncbot.verify.configured_checks import configured_checks

    config = configuration.load(backend)
    whole = bool(copies) or form == "json"
    matrix = merged_matrix(config, copies) if whole else matrices.in_short(config.root / config.matrix)
    known = configured_checks(config)
    if stale:
        if form != "table" or cells:
            raise UsageError("--stale prints a line for each check: leave out --format and --all")
        from syncbot.workflows.current_checks import not_current

        found = not_current(backend)
        for each in found:
            click.echo(printable(each.as_text()))
        return int(bool(found))
    if form == "json":
        click.echo(json_text(as_json(matrix), 2))
    elif form == "github":
        click.echo(json_text(as_jobs(matrix), None))
    elif form == "markdown":
        click.echo(as_markdown(matrix, known), nl=False)
    else:
        shown = console(sys.stdout)
        shown = shown if shown.is_terminal else console(sys.stdout, width=_PIPED)
        for table in for_terminal(matrix, shown, known) if cells else [summary_table(matrix, known)]:
            shown.print(table)
        if not cells:
            shown.print(_MORE, highlight=False)
    return 0


def as_json(matrix: Matrix) -> dict[str, object]:
    """Return the matrix with the status of every check as it may be claimed."""
    from syncbot.report.matrix import newest_first

    rows: list[dict[str, object]] = []
    for lane in newest_first(matrix):
        row = lane.model_dump(mode="json")
        checks = {name: {**row["checks"][name], "shown": lane.shown(name)} for name in sorted(lane.checks)}
        rows.append({**row, "checks": checks, "baseline": lane.tag == matrix.baseline})
    return {"schema": 1, "upstream": matrix.upstream, "baseline": matrix.baseline, "lanes": rows}


def as_jobs(matrix: Matrix) -> dict[str, object]:
    """Return the lanes as the ``strategy.matrix`` of a job in GitHub Actions: one job a lane.

    ``python`` is the oldest one that the lane takes and syncbot runs on; a stack without versions that
    nobody has said. Raises ConfigurationError for a lane that no such Python fits.
    """
    from syncbot.report.matrix import newest_first

    jobs = [
        {
            "lane": lane.tag,
            "version": str(lane.version),
            "wheel": lane.wheel,
            "python": _python(lane),
            "baseline": lane.tag == matrix.baseline,
            "stack": {name: version for name, version in lane.stack.items() if version is not None},
        }
        for lane in newest_first(matrix)
    ]
    return {"include": jobs}


def _python(lane: Lane) -> str:
    from packaging.specifiers import SpecifierSet

    fitting = SpecifierSet(lane.python)
    for minor in range(_OLDEST_PYTHON[1], _OLDEST_PYTHON[1] + 50):
        # As its last correction, since a lane may want one that is newer than the first.
        if fitting.contains(f"3.{minor}.99"):
            return f"3.{minor}"
    oldest = ".".join(map(str, _OLDEST_PYTHON))
    raise ConfigurationError(f"lane {lane.tag} wants Python {lane.python}; syncbot runs on {oldest} or newer")
