"""``syncbot build``: the wheels of lanes, in a folder that is a package index."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot.cli import options
from syncbot.cli.shared_output import say
from syncbot.errors import UsageError


@click.command(short_help="Generate lanes and build their wheels.")
@options.lanes
@click.option("--all", "every", is_flag=True, help="All lanes of the matrix: syncbot build --all.")
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the wheels, such as dist. [default: 'wheels' of the configuration]",
)  # fmt: skip
@options.backend
def command(lanes: tuple[str, ...], every: bool, output: Path | None, backend: Path) -> None:
    """Generate lanes and build their wheels, which require the lane's upstream version and no other.

    The folder of the wheels is a package index: give it to pip as --find-links DIR, or its folder 'simple' as
    --extra-index-url. The same sources give the same bytes.

    Example: syncbot build --all --output dist
    """
    from syncbot.workflows.build import build_wheels

    if every == bool(lanes):
        raise UsageError("which lanes? Give either --lane TAG or --all")
    index = build_wheels(
        backend, lanes, output, lambda wheel, needs: say(f"{wheel} requires {', '.join(needs)}")
    )
    say(f"index: {index}")
