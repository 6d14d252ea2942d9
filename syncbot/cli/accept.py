"""``syncbot accept``: a finding that somebody has looked at is counted, and fails no check."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot.cli import options
from syncbot.cli.shared_output import say


@click.command(short_help="Accept a finding, with a reason.")
@click.argument("identity", metavar="ID")
@click.option("--reason", required=True, help="Why, such as --reason 'we pass None there'.")
@click.option("--author", help="Who says so, such as --author ada. [default: the user]")
@click.option("--expires", metavar="DATE", help="The last day that it counts, such as 2026-12-31.")
@click.option(
    "--report", type=click.Path(path_type=Path), metavar="FILE",
    help="The report in JSON that has it, such as report.json. [default: the checks that were run here]",
)  # fmt: skip
@options.backend
def command(
    backend: Path, identity: str, reason: str, author: str | None, expires: str | None, report: Path | None
) -> None:
    """Accept the finding of this ID: checks count it, and no longer fail for it.

    Reports in JSON have the ID; its first eight digits are enough. syncbot refuses an ID that no report has.
    A comment in the line does the same: # syncbot: ignore[parameter-removed] why

    Example: syncbot accept 1f0c2d3e --reason "we never pass it"
    """
    from syncbot.workflows.accept import accept

    done = accept(backend, identity, reason, author, expires, report)
    say(f"accepted in {done.file}: {done.id} {done.what}")
