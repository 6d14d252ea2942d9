"""``syncbot window``: the releases of upstream that a project runs on."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot.cli import options, options_of_runs
from syncbot.cli.progress import meter
from syncbot.cli.window_text import as_markdown, as_text
from syncbot.garbage_collection import resting
from syncbot.limits import WINDOW_RELEASES
from syncbot.report.untrusted_text import json_text, printable


@click.command(short_help="Say on which releases of upstream a project runs.")
@options.upstream
@click.option(
    "--most", type=click.IntRange(1), default=WINDOW_RELEASES, show_default=True, metavar="N",
    help="Look at the newest N releases of the declared window, such as --most 5.",
)  # fmt: skip
@click.option(
    "--run", is_flag=True,
    help="Install each release, import every module and run the tests beside it: syncbot window --run.",
)  # fmt: skip
@click.option(
    "--budget", callback=options.seconds, metavar="TIME",
    help="Processor time for the tests of --run, shared by all releases, such as --budget 30m. "
         "[default: 10m]",
)  # fmt: skip
@options.backend
@options.written_as(("text", "markdown", "json"))
@resting()
def command(
    style: str, upstream: str | None, most: int, run: bool, budget: float | None, backend: Path
) -> int:
    """Say on which releases of upstream a project runs, and which requirement says so.

    It looks at each release that the project's requirements declare, with those of extras and what files of
    constraints leave of them, else at the last ten; and at each newer one. It judges a release on its own
    tree, and code behind a test of versions on those versions alone. For changes that show in no single tree
    it compares with the release that the sources fit best. It compares requirements too: Python, and what
    both ask for. It runs no upstream code.

    --run also installs each release in an environment of its own, imports every module of the project and
    runs its tests, each file beside every release before the next file, until the budget is used up. Only
    what works on another release counts as broken.

    Exit code 0: the declared releases lack nothing. 1: one lacks something, by reading or by running. 2:
    wrong use. 3: no network, no git.

    Example: syncbot window --upstream vllm --format markdown
    """
    import msgspec

    from syncbot.workflows.window import WindowOptions, window
    from syncbot.workflows.window_document import document

    seconds = options_of_runs.tests_seconds(run, budget)
    with meter() as progress:
        found = window(WindowOptions(backend=backend, upstream=upstream, most=most, run=seconds), progress)
    if style == "json":
        click.echo(json_text(msgspec.to_builtins(document(found))))
    else:
        lines = as_markdown(found) if style == "markdown" else as_text(found)
        click.echo("\n".join(map(printable, lines)))
    return int(found.breaks_promise)
