"""``syncbot build``: the wheel of a lane."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot import config as configuration
from syncbot.lanes import generate, update, wheel
from syncbot.lanes.generate import requirements


@click.command()
@click.option("--lane", "tag", required=True, metavar="TAG", help="The lane, such as v0.28.0 or 0.28.0.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the wheel, such as dist. [default: 'wheels' of the configuration]",
)
@click.option(
    "--backend",
    "root",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)
def command(tag: str, output: Path | None, root: Path) -> None:
    """Generate a lane and build its wheel, whose requirements pin that upstream version.

    The same sources give the same bytes.

    Example: syncbot build --lane v0.28.0
    """
    config = configuration.load(root)
    inputs = update.inputs_of(config)
    lane = inputs.matrix.lane(tag)
    made = generate.generate(inputs, lane, config.root / config.lanes / lane.tag)
    built = wheel.build(made.folder, output if output is not None else config.root / config.wheels)
    click.echo(f"{built} requires {', '.join(requirements(inputs, lane))}")
