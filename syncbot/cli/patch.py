"""``syncbot patch``: look at patch files, try them, begin one, retire one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from syncbot.cli import options
from syncbot.cli.shared_output import say


@click.group()
def command() -> None:
    """Show, test, begin and retire patches.

    Example: syncbot patch test 0.32.0-base-run
    """


@command.command(short_help="List the patches, or print one.")
@click.argument("patch_id", required=False)
@options.backend
def show(patch_id: str | None, backend: Path) -> None:
    """List the patches and the declarations of derived overrides, or print one.

    Example: syncbot patch show 0.32.0-base-run
    """
    from syncbot.workflows.patch import known_patches, patch_text

    if patch_id is not None:
        click.echo(patch_text(backend, patch_id), nl=False)
        return
    patches, derivations = known_patches(backend)
    if not patches and not derivations:
        say("no patches: syncbot apply writes them for lanes, syncbot migrate rewrites without any")
    for patch in patches:
        say(f"{patch.id}  {patch.status}  since {patch.upstream.first_version}  {patch.reason}")
    for declared in derivations:
        say(f"{declared.id}  derived  {declared.versions or 'every version'}  {declared.reason}")


@command.command(short_help="Print the difference that a patch makes on each lane.")
@click.argument("patch_id")
@options.backend
def test(patch_id: str, backend: Path) -> int:
    """Print the difference that a patch or a derived override makes on each lane; exit with 1 if none.

    The difference is that of the patch's own step, on the sources as the patches before it leave them. So it
    does not matter whether later patches build on it.

    Example: syncbot patch test 0.32.0-base-run
    """
    from syncbot.workflows.patch import differences

    diffs, idle = differences(backend, patch_id)
    click.echo("".join(diffs) or f"{idle}\n", nl=False)
    return 1 if idle else 0


@command.command(short_help="Begin a patch that an author completes.")
@click.argument("slug")
@click.option("--first-version", required=True, help="The first release that has the change, such as 0.32.0.")
@click.option("--symbol", required=True, help="The upstream symbol, such as pkg.module.Class.method.")
@click.option("--reason", required=True, help="Why the backend needs it, in one line.")
@click.option("--pr", type=int, help="The upstream pull request, such as 12345.")
@click.option("--commit", help="The upstream commit, such as 3f2a91c.")
@options.backend
def new(**asked: Any) -> None:
    """Begin a patch that an author completes: it is marked needs-author.

    Example: syncbot patch new base-run --first-version 0.32.0 --symbol pkg.Base.run --reason "gained x"
    """
    from syncbot.workflows.patch import begin_patch

    file = begin_patch(**asked)
    say(f"{file}: add rewrites, set status to active, then run: syncbot patch test {file.stem}")


@command.command(short_help="Mark a patch retired, so that no lane uses it.")
@click.argument("patch_id")
@click.option(
    "--declined", default="", metavar="TEXT",
    help="Why nobody wants it, such as --declined 'the plugin has no such cache'.",
)  # fmt: skip
@options.backend
def retire(patch_id: str, declined: str, backend: Path) -> None:
    """Mark a patch retired: no lane uses it any more. Refused as long as a lane needs it.

    With --declined, one that was looked at and is not wanted: its file stays, so that neither 'apply' nor
    'overlay merge' writes it again. They say so when nothing asks for it any more.

    Example: syncbot patch retire 0.28.0-base-run
    """
    from syncbot.workflows.patch import retire_patch

    retire_patch(backend, patch_id, declined)
    say(f"{patch_id} is retired")
