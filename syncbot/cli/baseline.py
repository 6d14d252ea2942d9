"""``syncbot baseline``: the version that the backend's own sources are written for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.cli.shared_output import say

if TYPE_CHECKING:
    from syncbot.workflows.baseline import MovedBaseline


@click.group()
def command() -> None:
    """Move the version that the backend is written for.

    Example: syncbot baseline move v0.33.0
    """


@command.command(short_help="Rewrite the backend for another lane and make it the baseline.")
@click.argument("tag")
@click.option(
    "--simulate", is_flag=True,
    help="Also run the simulated checks that have passed: syncbot baseline move v0.33.0 --simulate.",
)  # fmt: skip
@options.allow_dirty
@options.backend
def move(**asked: Any) -> int:
    """Rewrite the backend for another lane of the matrix, newer or older, and make that the baseline.

    The patches between the two rewrite the backend's own sources; syncbot generates every other lane from the
    new ones and repeats the checks that lanes have passed. If one fails, if a patch on the way needs an
    author, or after any error or Ctrl-C, every file is as it was before.

    Example: syncbot baseline move v0.33.0
    """
    from syncbot.workflows.baseline import move_baseline

    done = move_baseline(**asked, tell=lambda result: click.echo(result.as_text()), meters=meter)
    target = done.move.matrix.baseline
    for patch in done.move.waiting:
        say(f"needs an author: {patch.symbol}: {patch.reason}")
    if done.move.waiting:
        say(f"nothing was moved: run syncbot apply --lane {target} and complete what it writes")
        return 1
    if done.worse:
        say("nothing was moved: a check that passed before fails after it")
        return 1
    _say(done)
    return 0


def _say(done: MovedBaseline) -> None:
    for patch in done.move.update.written:
        say(f"patch {patch.id}: {patch.reason} ({', '.join(patch.lanes)})")
    for path in done.move.rewritten:
        say(f"rewritten {done.config.backend}/{path}")
    for lane in done.lanes:
        tag = lane.folder.name
        paths = done.move.different.get(tag, ())
        say(f"lane {tag}: " + (f"changed in {', '.join(paths)}" if paths else "the same sources as before"))
    before = done.move.before.matrix.baseline
    say(f"the baseline is {done.move.matrix.baseline}; before, it was {before}")
