"""``syncbot lint``: changed files against the upstream in use, before they are committed."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.cli.shared_output import say
from syncbot.garbage_collection import resting


@click.command(short_help="Check changed files before they are committed.")
@click.option(
    "--since", default="HEAD", show_default=True, metavar="COMMIT", envvar="PRE_COMMIT_FROM_REF",
    help="Look at changes since this commit of your own, such as origin/main.",
)  # fmt: skip
@click.option(
    "--at", metavar="VERSION",
    help="The upstream version, such as 0.32.0. [default: the matrix's baseline, else what files name]",
)  # fmt: skip
@options.upstream
@options.backend
@resting()
def command(since: str, at: str | None, upstream: str | None, backend: Path) -> int:
    """Say what changed files rely on that the upstream in use lacks, and did not rely on before.

    It reads only changed files, so it answers while you wait: a hook for pre-commit. 'syncbot check' says
    what one upstream version after another breaks. Exit code 1: something is missing.

    Example: syncbot lint --since origin/main
    """
    from syncbot.workflows.lint import LintOptions, lint

    with meter() as progress:
        found = lint(LintOptions(backend=backend, upstream=upstream, at=at, since=since), progress)
    for each in found.violations:
        say(str(each))
    count = f"{found.files} changed file{'' if found.files == 1 else 's'}"
    if not found.files:
        say(f"No source file changed since {since}.")
    elif not found.violations:
        say(f"{found.upstream} has what is new in {count}.")
    return int(bool(found.violations))
