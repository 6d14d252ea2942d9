"""``syncbot init``: the files that a project begins with."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.report.untrusted_text import printable


@click.command(short_help="Write the files that a project begins with.")
@click.option(
    "--upstream", metavar="NAME",
    help="The package that is followed, as pip knows it, such as vllm. [default: what the project shows]",
)  # fmt: skip
@click.option(
    "--at", metavar="VERSION",
    help="The version of it that the sources are for, such as 0.32.0. [default: what the project names]",
)  # fmt: skip
@click.option(
    "--agents", is_flag=True, help="Write what a coding agent reads, too: syncbot init --agents --yes."
)
@click.option(
    "--window", "judged", is_flag=True,
    help="Judge the releases that the project declares, and propose a requirement: syncbot init --window.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="Ask nothing: syncbot init --yes.")
@options.backend
def command(
    backend: Path, upstream: str | None, at: str | None, agents: bool, judged: bool, yes: bool
) -> int:
    """Find what a project is, and write the files that syncbot reads.

    It finds the packages, the upstream, the version that the sources are for (requirements, Dockerfiles,
    workflows), the tests and the CI. It writes syncbot.toml, the matrix with its lanes, and a workflow. It
    leaves files that exist as they are.

    Example: syncbot init --yes
    """
    from syncbot.workflows.init import begin, write

    with meter() as progress:
        found = begin(backend, upstream, at, agents, progress, judged)
    lines = [f"{what:10}{told}" for what, told in found.found]
    lines += [f"stays: {path}" for path in found.stand]
    lines += [f"new: {file.path} ({file.reason})" for file in found.to_write]
    if found.add:
        lines += ["To add to AGENTS.md, which exists:", *found.add.splitlines()]
    click.echo("\n".join(map(printable, lines)))
    if not found.to_write:
        click.echo(f"Nothing to write. Next: {found.next}")
        return 0
    if not yes and not sys.stdin.isatty():
        click.echo("Nothing is written without a terminal to ask at: syncbot init --yes")
        return 0
    if not yes and not click.confirm("Write the new files?", default=True):
        return 0
    write(found)
    click.echo(f"Written. Next: {found.next}")
    return 0
