"""``syncbot overlay debt``: record what the package lacks on its own upstream."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.cli.shared_output import say


@click.command(short_help="Record what the package lacks on its own upstream.")
@click.option(
    "--accept", "accepted", multiple=True, metavar="ID",
    help="Only this finding, of the lane that --lane names. Repeatable. Example: --accept 5c04a96b1e.",
)  # fmt: skip
@click.option("--lane", metavar="TAG", help="The lane whose findings are accepted, such as v0.33.0.")
@click.option("--reason", metavar="TEXT", help="Why, such as --reason 'the method is never called'.")
@options.backend
def command(accepted: tuple[str, ...], lane: str | None, reason: str | None, backend: Path) -> None:
    """Record what the static check finds in the package as published, on the upstream that it was made for.

    'syncbot verify --static' then passes where a lane lacks nothing beyond. An
    entry no longer counts where upstream defines its symbol otherwise. Without --lane, it records
    the baseline again and keeps your notes. With --lane and no --accept, the ids of what
    is beyond the debt are shown.

    Example: syncbot overlay debt
    """
    from syncbot.workflows.overlay_debt import accept_findings, record_debt

    if lane is not None:
        for line in accept_findings(backend, lane, accepted, reason, meter):
            say(line)
        return
    if accepted or reason:
        raise click.UsageError("--accept and --reason are of a lane: name it with --lane")
    recorded, gone = record_debt(backend, meter)
    number = len(recorded.findings)
    many = "finding of the package itself is" if number == 1 else "findings of the package itself are"
    said = f"{number} {many} recorded"
    say(f"{said}; {gone} are there no more" if gone else said)
