"""``syncbot migrate``: rewrite a backend that has no lanes for a newer upstream."""

from __future__ import annotations

from typing import Any

import click

from syncbot.cli import options
from syncbot.cli.migration_summary import print_summary
from syncbot.cli.progress import meter


@click.command(short_help="Rewrite a backend without lanes for a newer upstream.")
@click.option(
    "--diff", is_flag=True,
    help="Print the edits as a diff and change nothing: syncbot migrate --from 0.31.0 --diff | git apply.",
)  # fmt: skip
@options.migration
def command(**asked: Any) -> int:
    """Rewrite a backend without lanes for a newer upstream, in its working tree.

    It writes a rewrite only if it is proven right: the check no longer finds what it fixes, finds nothing
    new, and every file compiles. It lists every other break with the reason why an author has to write it;
    then the exit code is 1. All files change together or not at all.

    Example: syncbot migrate --backend ../plugin --from 0.31.0 --to 0.32.0
    """
    from syncbot.workflows.migrate import MigrateOptions, migrate_backend

    wanted = MigrateOptions(**asked)
    with meter() as progress:
        done = migrate_backend(wanted, progress)
    if wanted.diff:
        click.echo(done.diff, nl=False)
    # Beside a diff, which goes to a file or to git, the summary is for eyes.
    return print_summary(done, not wanted.writes, err=wanted.diff)
