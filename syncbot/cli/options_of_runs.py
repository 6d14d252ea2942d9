"""Options of the commands that run lanes and releases, each written once."""

from __future__ import annotations

import click

from syncbot.cli import options
from syncbot.errors import UsageError
from syncbot.limits import TEST_SECONDS
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


def tests_seconds(run: bool, budget: float | None) -> float | None:
    """The seconds of processor for the tests of --run, None without it. Raises UsageError for a budget of
    tests that are not run."""
    if budget is not None and not run:
        raise UsageError("--budget is of the tests that --run runs: give both")
    return (budget or TEST_SECONDS) if run else None
