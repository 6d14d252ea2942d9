"""``syncbot build``: the wheels of lanes, in a folder that is a package index."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot import config as configuration
from syncbot.errors import UsageError
from syncbot.lanes import generate, update, wheel, wheel_index
from syncbot.lanes.generate import requirements


@click.command(short_help="Generate lanes and build their wheels.")
@click.option("--lane", "tags", multiple=True, metavar="TAG", help="A lane, such as v0.28.0. Repeatable.")
@click.option("--all", "every", is_flag=True, help="All lanes of the matrix: syncbot build --all.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the wheels, such as dist. [default: 'wheels' of the configuration]",
)
@click.option(
    "--backend",
    "root",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)
def command(tags: tuple[str, ...], every: bool, output: Path | None, root: Path) -> None:
    """Generate lanes and build their wheels, whose requirements pin the lane's upstream version.

    The folder of the wheels becomes a package index: pip takes it as --find-links DIR or its folder
    'simple' as --extra-index-url. The same sources give the same bytes.

    Example: syncbot build --all --output dist
    """
    if every == bool(tags):
        raise UsageError("which lanes? Give either --lane TAG or --all")
    config = configuration.load(root)
    update.transaction(config).recover()
    inputs = update.inputs_of(config)
    folder = output if output is not None else config.root / config.wheels
    # All lanes are generated before the first wheel is written: a patch that does not fit leaves the folder.
    made = [
        (lane, generate.generate(inputs, lane, config.root / config.lanes / lane.tag))
        for lane in ([inputs.matrix.lane(tag) for tag in tags] or inputs.matrix)
    ]
    for lane, generated in made:
        built = wheel.build(generated.folder, folder)
        click.echo(f"{built} requires {', '.join(requirements(inputs, lane))}")
    wheel_index.write_index(folder)
    click.echo(f"index: {folder / wheel_index.FOLDER}")
