"""``syncbot overlay new``: begin an overlay project in an empty folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from syncbot.cli.progress import meter
from syncbot.cli.shared_output import say


@click.command(short_help="Begin an overlay project in an empty folder.")
@click.option(
    "--package", required=True, metavar="NAME==VERSION",
    help="The release that lanes are made of, such as plugin==1.2.0rc1.",
)  # fmt: skip
@click.option(
    "--upstream", required=True, metavar="NAME",
    help="The distribution that it follows, such as --upstream vllm.",
)  # fmt: skip
@click.option(
    "--lane", "lanes", multiple=True, required=True, metavar="VERSION",
    help="A release of upstream that needs a lane, such as 0.33.0. Repeatable.",
)  # fmt: skip
@click.option(
    "--baseline", metavar="VERSION",
    help="The upstream that the package is for, such as 0.30.0, if its own number is another.",
)  # fmt: skip
@click.option(
    "--folder", type=click.Path(path_type=Path), default=Path(), show_default="the current folder",
    help="An empty folder, or one to make, such as overlays/plugin.",
)  # fmt: skip
def command(**asked: Any) -> None:
    """Begin an overlay project: its configuration, its matrix, and folders for patches and evidence.

    It fetches and checks the source distribution, and writes the versions that it pins into the matrix. Then
    'syncbot apply' in that folder writes what a rule can answer.

    Example: syncbot overlay new --package plugin==1.2.0rc1 --upstream vllm --lane 0.33.0
    """
    from syncbot.workflows.overlay import NewOverlayOptions, new_overlay

    with meter() as progress:
        made = new_overlay(NewOverlayOptions(**asked), progress)
    say(f"{made.root} is an overlay of {asked['package']}: go on there with syncbot apply")
