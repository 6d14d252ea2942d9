"""``syncbot apply``: write the patches that lanes need, generate the lanes, update the matrix."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.cli.shared_output import say
from syncbot.errors import UsageError

if TYPE_CHECKING:
    from syncbot.lanes.generate import Generated
    from syncbot.lanes.update import Update
    from syncbot.patching.model import Patch
    from syncbot.workflows.apply import Applied


@click.command(short_help="Write missing patches, generate lanes, update the matrix.")
@click.option(
    "--lane", "lanes", multiple=True, metavar="TAG",
    help="Look for missing patches of this lane only, such as v0.28.0. Repeatable.",
)  # fmt: skip
@options.check
@click.option(
    "--to", "ref", metavar="REF",
    help="Instead, try a newer upstream that is no lane yet, tagged or not: syncbot apply --to 3f2a91c. "
    "It writes to the folder of generated lanes and nowhere else.",
)  # fmt: skip
@click.option(
    "--upstream", metavar="NAME|URL|PATH",
    help="With --to: a repository that has the commit, such as ../vllm. [default: the matrix's upstream]",
)  # fmt: skip
@options.backend
def command(lanes: tuple[str, ...], check: bool, ref: str | None, upstream: str | None, backend: Path) -> int:
    """Write the patches that lanes need, generate the lanes and update the matrix.

    A lane is the backend's sources for one upstream version; the baseline is the lane whose sources you edit.
    For each upstream change without a patch, it writes a patch file: with a rewrite if a rule is sure, else
    marked needs-author, with notes for the author. The exit code is 1 as long as a patch needs an author, or
    a patch that it builds on. It retires patches that only former lanes needed. All files change together or
    not at all.

    Example: syncbot apply --lane v0.28.0
    """
    from syncbot.workflows.apply import ApplyOptions, apply

    if ref is not None:
        if lanes or check:
            raise UsageError("--to makes a lane that the matrix does not have: leave out --lane and --check")
        return _try(backend, ref, upstream)
    if upstream is not None:
        raise UsageError("--upstream says where the commit of --to is: give --to REF too")
    with meter() as progress:
        done = apply(ApplyOptions(backend=backend, lanes=lanes, check=check), progress)
    return _say_what_would_change(done.update) if check else _say_what_changed(done)


def _try(backend: Path, ref: str, upstream: str | None) -> int:
    from syncbot.workflows.apply import try_upstream

    with meter() as progress:
        target, made = try_upstream(backend, ref, upstream, progress)
    for patch in made.written:
        say(f"patch {made.patches / f'{patch.id}.yaml'}: {patch.reason}")
        _say_what_is_dropped(patch)
    for patch in made.waiting:
        say(f"needs an author: {patch.symbol}: {patch.reason}")
    say(f"lane {made.lane.folder}: {target.lane.version} after {_patches(made.lane)}")
    return 1 if made.waiting else 0


def _say_what_would_change(planned: Update) -> int:
    for patch in planned.retired:
        say(f"would retire {patch.id}: {_unneeded(patch)}")
    for patch in planned.revived:
        say(f"would take up {patch.id} again: needed by {', '.join(patch.lanes)}")
    for patch in planned.stale:
        say(f"declined {patch.id}: nothing asks for it any more; delete its file")
    gone = _say_what_is_gone(planned)
    for path in sorted(planned.changes):
        say(f"would write {path}")
    return 1 if planned.changes or gone else 0


def _say_what_changed(done: Applied) -> int:
    for patch in done.update.written:
        say(f"patch {patch.id}: {patch.reason} ({', '.join(patch.lanes)})")
        _say_what_is_dropped(patch)
    for patch in done.update.retired:
        say(f"retired {patch.id}: {_unneeded(patch)}")
    for patch in done.update.revived:
        say(f"taken up {patch.id} again: needed by {', '.join(patch.lanes)}")
    for patch in done.update.stale:
        say(f"declined {patch.id}: nothing asks for it any more; delete its file")
    for path, patch in done.waiting.items():
        say(f"needs an author: {path}: {patch.reason}")
    gone = _say_what_is_gone(done.update)
    for lane in done.lanes:
        state = "generated" if lane.written else "unchanged"
        say(f"lane {lane.folder.name}: {state}, {_patches(lane)}")
    return 1 if done.waiting or gone else 0


def _say_what_is_gone(planned: Update) -> bool:
    """Whether patches build on some that are not active; each is told."""
    from syncbot.patching.apply import waiting

    gone = waiting(planned.inputs.patches)
    for name, others in gone.items():
        say(
            f"{name} builds on {', '.join(others)}, which is not active: rewrites that find nothing without "
            "it are passed over; bring it back, or change builds_on"
        )
    return bool(gone)


def _say_what_is_dropped(patch: Patch) -> None:
    """What a rewrite takes and hands on to nobody may be needed: only the signatures are right."""
    for note in patch.notes.splitlines():
        say(f"at risk: {note}")


def _patches(lane: Generated) -> str:
    return f"{len(lane.patches)} patch{'' if len(lane.patches) == 1 else 'es'}"


def _unneeded(patch: Patch) -> str:
    return f"no lane needs it any more (only {', '.join(patch.lanes)} did)"
