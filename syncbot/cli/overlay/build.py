"""``syncbot overlay build``: pack a lane so that a person can install it, review it, or take it over."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.cli.shared_output import say


@click.command(short_help="Pack a lane: sources to build, a wheel for review, commits, pages.")
@click.option("--lane", required=True, metavar="TAG", help="The lane, such as --lane v0.33.0.")
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="DIR",
    help="The folder to write into; else one for the lane below that of wheels.",
)  # fmt: skip
@options.backend
def command(lane: str, output: Path | None, backend: Path) -> None:
    """Pack a lane: a source distribution that builds as the original does, a wheel of the part in Python for
    review and the simulated device, commits for 'git am' on the release's tag, and two pages about it.

    Example: syncbot overlay build --lane v0.33.0
    """
    from syncbot.workflows.overlay_build import build_lane

    with meter() as progress:
        built = build_lane(backend, lane, output, progress)
    for file in (built.sdist, built.wheel, *built.pages):
        if file is not None:
            say(str(file))
    say(f"{built.folder / 'series'}: {len(built.series)} commits for git am")
