"""``syncbot ungate``: remove the tests of versions that are no longer supported."""

from __future__ import annotations

from typing import Any

import click

from syncbot.cli import options
from syncbot.cli.shared_output import say


@click.command(short_help="Remove the tests of versions that are no longer supported.")
@click.argument("versions", nargs=-1, required=True, metavar="VERSION...")
@options.gate
@options.backend
@options.check
@options.allow_dirty
def command(versions: tuple[str, ...], check: bool, **asked: Any) -> int:
    """Remove the tests of each VERSION that nobody runs any more, with the code for it alone.

    It keeps the code of all other versions, and drops the import of the test where nothing uses it any more.
    All files change together or not at all.

    Example: syncbot ungate 0.30.0 --backend ../plugin
    """
    from syncbot.workflows.version_gates import ungate_backend

    done = ungate_backend(versions, check=check, **asked)
    verb = "would lose" if check else "lost"
    for path in done.files:
        say(f"{path}: {verb} its gates of {', '.join(versions)}")
    for why in done.refused:
        say(f"left as it is: {why}")
    if done.missing and not done.refused:
        say(f"no gate of {', '.join(done.missing)} found")
    return 1 if done.refused or (check and done.files) else 0
