"""``syncbot config``: what of the configuration is in force, and where it comes from."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot.cli import options
from syncbot.report.untrusted_text import json_text, printable


@click.command(short_help="Show the configuration that is in force.")
@click.option(
    "--schema", "as_schema", is_flag=True,
    help="Print the JSON schema of the configuration, for editors: syncbot config --schema > syncbot.json.",
)  # fmt: skip
@options.backend
@options.text_or_json
def command(backend: Path, as_schema: bool, style: str) -> int:
    """Show every setting that is in force, with the file or variable that it comes from.

    Example: syncbot config --backend ../my-backend
    """
    from syncbot.workflows.configuration import schema, settings

    if as_schema:
        click.echo(json_text(schema()))
        return 0
    found = settings(backend)
    if style == "json":
        click.echo(json_text([{"key": s.key, "value": s.value, "origin": s.origin} for s in found]))
        return 0
    lines = [(f"{each.key} = {json_text(each.value, None)}", each.origin) for each in found]
    width = min(max(len(line) for line, _ in lines), 60)
    click.echo("\n".join(printable(f"{line:{width}}  # {origin}") for line, origin in lines))
    return 0
