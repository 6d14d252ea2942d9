"""``syncbot overlay merge``: copies of upstream functions follow their originals."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.cli.shared_output import say


@click.command(short_help="Record merges of copies with what upstream made of them.")
@click.option("--lane", required=True, metavar="TAG", help="The lane, such as --lane v0.33.0.")
@options.backend
def command(lane: str, backend: Path) -> int:
    """Write a patch for each copy of an upstream function that changed since the lane before this one.

    A merge with conflicts needs an author: the files in the lane's folder have the marks that git makes. Edit
    them there, then run 'syncbot overlay absorb'. Exits with 1 if there are such.

    Example: syncbot overlay merge --lane v0.33.0
    """
    from syncbot.workflows.overlay_edits import record_merges

    with meter() as progress:
        recorded = record_merges(backend, lane, progress)
    found = recorded.written
    for patch in recorded.stale:
        say(f"declined {patch.id}: nothing asks for it any more; delete its file")
    for each in found:
        merge = each.patch.merges[0]
        state = f"{each.conflicts} conflicts" if each.conflicts else "merged"
        if each.patch.status != "active" and not each.conflicts:
            state = f"needs an author: {each.patch.notes.strip()}"
        say(f"{each.patch.id}  {merge.file}  {merge.within}  {state}")
    say(f"{len(found)} copies changed upstream since the lane before {lane}")
    return 1 if any(each.patch.status != "active" for each in found) else 0
