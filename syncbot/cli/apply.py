"""``syncbot apply``: write the patches that lanes need, generate the lanes, update the matrix."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import click

from syncbot import config as configuration
from syncbot.cli.modes import Modal
from syncbot.cli.progress import meter
from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.lanes import unlisted_lane, update
from syncbot.lanes.examined_lanes import Settled
from syncbot.lanes.findings import LaneFinding, Told, findings
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.lanes.update import Update
from syncbot.patching.model import Patch
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.catalog import open_upstream


@click.command(cls=Modal, short_help="Write missing patches, generate lanes, update the matrix.")
@click.option(
    "--lane",
    "tags",
    multiple=True,
    metavar="TAG",
    help="Look for missing patches of this lane only, such as v0.28.0. Repeatable.",
)
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 if anything would change.")
@click.option(
    "--to",
    "ref",
    metavar="REF",
    help="Instead, try a newer upstream that is no lane yet, tagged or not: apply --to 3f2a91c. Only the"
    " folder of generated lanes is written.",
)
@click.option(
    "--upstream",
    metavar="NAME|URL|PATH",
    help="With --to: a repository that has the commit, such as ../vllm. [default: that of the matrix]",
)
@click.option(
    "--backend",
    "root",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)
def command(tags: tuple[str, ...], check: bool, ref: str | None, upstream: str | None, root: Path) -> int:
    """Write the patches that lanes need, generate the lanes and update the matrix.

    What upstream changed between the baseline and a lane, and no patch answers yet, becomes a new patch
    file: with rewrites where a rule can be sure, else marked needs-author with what an author has to know.
    As long as one needs an author, the exit code is 1. Patches that only lanes needed which are no longer
    in the matrix are retired, and taken up again when such a lane comes back.
    All files change together or not at all.

    Example: syncbot apply --lane v0.28.0
    """
    config = configuration.load(root)
    if ref is not None:
        if tags or check:
            raise UsageError("--to makes a lane that the matrix does not have: leave out --lane and --check")
        return _try(config, ref, upstream)
    if upstream is not None:
        raise UsageError("--upstream says where the commit of --to is: give --to REF too")
    if not check:
        update.transaction(config).recover()
    inputs = update.inputs_of(config)
    chosen = [inputs.matrix.lane(tag) for tag in tags] or list(inputs.matrix)
    with meter() as progress:
        versions = [str(lane.version) for lane in inputs.matrix]
        with open_upstream(config, inputs.matrix.upstream, cache_dir(), versions, progress) as opened:

            def find(
                matrix: Matrix, lane: Lane, folder: Path, told: Collection[Told]
            ) -> Sequence[LaneFinding]:
                progress(f"{lane.tag}: impacts", 0, None)
                found = findings(config, opened, matrix, lane, folder, cache_dir(), told=told)
                progress(f"{lane.tag}: impacts", 1, 1)
                return found

            settled = Settled(config, opened.repository, cache_dir())
            planned = update.plan(config, inputs, chosen, find, settled)
    if check:
        return _say_what_would_change(planned)
    return _carry_out(config, planned)


def _try(config: Config, ref: str, source: str | None) -> int:
    """A lane for an upstream that the matrix does not have, beside the others and nowhere else."""
    update.transaction(config).recover()
    inputs = update.inputs_of(config)
    versions = [*(str(lane.version) for lane in inputs.matrix), ref]
    with (
        meter() as progress,
        open_upstream(config, source or inputs.matrix.upstream, cache_dir(), versions, progress) as upstream,
    ):
        target = unlisted_lane.target(upstream.repository, inputs.matrix, ref)

        def find(matrix: Matrix, lane: Lane, folder: Path, told: Collection[Told]) -> Sequence[LaneFinding]:
            return findings(config, upstream, matrix, lane, folder, cache_dir(), target.commit, told)

        made = unlisted_lane.make(config, inputs, target, find)
    for patch in made.written:
        click.echo(f"patch {made.patches / f'{patch.id}.yaml'}: {patch.reason}")
    for patch in made.waiting:
        click.echo(f"needs an author: {patch.symbol}: {patch.reason}")
    count = len(made.lane.patches)
    plural = "" if count == 1 else "es"
    click.echo(f"lane {made.lane.folder}: {target.lane.version} after {count} patch{plural}")
    return 1 if made.waiting else 0


def _say_what_would_change(planned: Update) -> int:
    for patch in planned.retired:
        click.echo(f"would retire {patch.id}: {_unneeded(patch)}")
    for patch in planned.revived:
        click.echo(f"would take up {patch.id} again: needed by {', '.join(patch.lanes)}")
    for path in sorted(planned.changes):
        click.echo(f"would write {path}")
    return 1 if planned.changes else 0


def _carry_out(config: Config, planned: Update) -> int:
    lanes = update.carry_out(config, planned)
    for patch in planned.written:
        click.echo(f"patch {patch.id}: {patch.reason} ({', '.join(patch.lanes)})")
    for patch in planned.retired:
        click.echo(f"retired {patch.id}: {_unneeded(patch)}")
    for patch in planned.revived:
        click.echo(f"taken up {patch.id} again: needed by {', '.join(patch.lanes)}")
    waiting = [patch for patch in planned.inputs.patches if patch.status == "needs-author"]
    for patch in waiting:
        click.echo(f"needs an author: {config.patches}/{patch.id}.yaml: {patch.reason}")
    for lane in lanes:
        state = "generated" if lane.written else "unchanged"
        count = len(lane.patches)
        click.echo(f"lane {lane.folder.name}: {state}, {count} patch{'' if count == 1 else 'es'}")
    return 1 if waiting else 0


def _unneeded(patch: Patch) -> str:
    return f"no lane needs it any more (only {', '.join(patch.lanes)} did)"
