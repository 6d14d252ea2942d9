"""``syncbot overlay absorb``: edits in a lane's folder become patches."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot.cli import options
from syncbot.cli.shared_output import say


@click.command(short_help="Make patches of what was edited in a lane's folder.")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--lane", required=True, metavar="TAG", help="The lane, such as --lane v0.33.0.")
@click.option("--reason", metavar="TEXT", help="Why, such as --reason 'the queue is a deque now'.")
@options.backend
def command(files: tuple[str, ...], lane: str, reason: str | None, backend: Path) -> None:
    """Make patches of what was edited in a lane's folder: a rule where one does all that changed in a file,
    resolutions where marks of conflicts went, else a difference with its context.

    The lane generated again is what the folder has, byte for byte; otherwise nothing is written. With FILE,
    a path below the lane's folder, only edits of that one count: others may still have marks.

    Example: syncbot overlay absorb --lane v0.33.0 --reason "the queue is a deque now"
    """
    from syncbot.workflows.overlay_edits import absorb_edits

    patches = absorb_edits(backend, lane, reason, files)
    for patch in patches:
        what = [rewrite.rule for rewrite in patch.rewrites]
        what += [f"merge of {m.within}, {len(m.resolutions)} resolutions" for m in patch.merges]
        say(f"{patch.id}: {', '.join(what)}")
    say(f"{lane}: go on with syncbot apply" if patches else f"{lane} has no edits")
