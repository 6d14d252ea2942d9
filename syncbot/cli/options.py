"""Options that several commands have, each written once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

backend = click.option(
    "--backend", type=click.Path(path_type=Path), default=Path(), show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)  # fmt: skip
upstream = click.option(
    "--upstream", metavar="NAME|URL|PATH", help="Follow this upstream instead, such as ../vllm."
)
allow_dirty = click.option(
    "--allow-dirty", is_flag=True, help="Write files although git shows changes that are not committed."
)
text_or_json = click.option(
    "--format", "style", type=click.Choice(("text", "json")), default="text", show_default=True,
    help="How to print the result, such as --format json.",
)  # fmt: skip
check = click.option("--check", is_flag=True, help="Change nothing; exit with 1 if anything would change.")
gate = click.option(
    "--gate", "expression", metavar="EXPRESSION",
    help="The project's test of versions, such as 'up_is(\"{version}\")'.",
)  # fmt: skip


def migration(function: F) -> F:
    """The options of every command that moves a working tree to another upstream."""
    chosen = (
        click.option(
            "--from", "old", required=True, metavar="REF",
            help="The upstream that the backend runs on now, such as 0.32.0 or a sha.",
        ),
        click.option(
            "--to", "new", metavar="REF",
            help="The upstream that it has to run on, such as 0.33.0. [default: the newest commit]",
        ),
        upstream,
        backend,
        click.option(
            "--engine", type=click.Choice(("contracts", "all")), default="all", show_default=True,
            help="What looks for breaks, such as --engine contracts; all asks the type checkers too.",
        ),
        check,
        allow_dirty,
    )  # fmt: skip
    for option in reversed(chosen):
        function = option(function)
    return function
