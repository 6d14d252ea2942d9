"""``syncbot gate``: rewrite for a newer upstream and keep what an older one needs."""

from __future__ import annotations

from typing import Any

import click

from syncbot.cli import options
from syncbot.cli.migration_summary import print_summary
from syncbot.cli.progress import meter
from syncbot.cli.shared_output import say


@click.command(short_help="Migrate, and keep the old code behind a test of versions.")
@click.option(
    "--keep", metavar="VERSION",
    help="Keep the code for this version, such as 0.31.0. [default: the one of --from]",
)  # fmt: skip
@options.gate
@click.option(
    "--gate-import", "import_line", metavar="LINE",
    help="The import that the test needs, such as 'from plugin.utils import up_is'.",
)  # fmt: skip
@options.migration
def command(keep: str | None, expression: str | None, import_line: str | None, **asked: Any) -> int:
    """Rewrite as 'syncbot migrate' does, and keep the old code behind the project's own test of versions.

    The test is 'gate', and its import 'gate_import', in [tool.syncbot]. If no test can tell the code of the
    two versions apart, it names the file and leaves it as it is; then the exit code is 1.

    Example: syncbot gate --backend ../plugin --from 0.31.0 --to 0.32.0
    """
    from syncbot.workflows.migrate import MigrateOptions
    from syncbot.workflows.version_gates import gate_backend

    wanted = MigrateOptions(**asked)
    with meter() as progress:
        done = gate_backend(wanted, keep, expression, import_line, progress)
    code = print_summary(done.migrated, wanted.check)
    for why in done.refused:
        say(f"not gated: {why}")
    say(f"gates of {done.version} in {done.files} file{'' if done.files == 1 else 's'}")
    return 1 if done.refused else code
