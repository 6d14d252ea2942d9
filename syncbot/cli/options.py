"""Options that several commands have, each written once."""

from __future__ import annotations

from pathlib import Path

import click

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
