"""``syncbot triage``: from the logs of failed runs to the guilty upstream commits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from syncbot.atomic import write_file
from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.report.untrusted_text import visible
from syncbot.triage.formats import FORMATS


@click.command(short_help="Name the upstream commits that are guilty of failures in logs.")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@click.option(
    "--from", "old", metavar="REF",
    help="The last version that worked: a tag, sha or version, such as 0.32.0.",
)  # fmt: skip
@click.option("--to", "new", metavar="REF", help="The version that failed, such as latest.")
@options.upstream
@options.by
@options.backend
@options.written_as(list(FORMATS))
@click.option(
    "--summary", "style", flag_value="flow",
    help="As --format flow: code bugs and faults of the environment, as a public upgrade flow reads them.",
)  # fmt: skip
@options.output
def command(style: str, output: Path | None, **asked: Any) -> int:
    """Read logs of failed runs and name, for each failure, the guilty upstream commits and the reason.

    LOG is the output of pytest or of a server: plain, .gz or .zip; - is standard input. Without --from, the
    range begins at the matrix's baseline. Without a matrix either, it looks for no commits.

    Example: syncbot triage server.log --from 0.31.0 --to 0.32.0
    """
    from syncbot.workflows.triage import TriageOptions, triage_logs

    with meter() as progress:
        found = triage_logs(TriageOptions(**asked), progress)
    text = visible(FORMATS[style](found))
    if output is not None:
        write_file(output, text.encode())
    else:
        click.echo(text, nl=False)
    return int(found.reading.has_failed)
