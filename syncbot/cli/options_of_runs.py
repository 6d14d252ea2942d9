"""Options of the commands that run lanes and releases, each written once."""

from __future__ import annotations

import click

from syncbot.cli import options
from syncbot.verify import executors

executor = click.option(
    "--executor", type=click.Choice(executors.names()), default=executors.DEFAULT, show_default=True,
    help="Run on this machine, or as tasks on a Ray cluster. Example: --executor ray.",
)  # fmt: skip
budget = click.option(
    "--budget", callback=options.seconds, metavar="TIME",
    help="Only what is stale, as much as is done in this time: --budget 60m. Also 90s and 2h.",
)  # fmt: skip
test_paths = click.option(
    "--test", "only", multiple=True, metavar="PATH",
    help="Only tests below this folder or file of the release; nothing is recorded. Repeatable.",
)  # fmt: skip
