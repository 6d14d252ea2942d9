"""``syncbot baseline``: the version that the backend's own sources are written for."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path

import click

from syncbot import config as configuration
from syncbot.cli.progress import meter
from syncbot.cli.verify import _findings as findings_of
from syncbot.cli.verify import _line as line
from syncbot.cli.verify import _note_proof as note_proof
from syncbot.cli.verify import _wanted as checks_of
from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.lanes import baseline, generate, uncommitted_files, update
from syncbot.lanes.baseline import Move
from syncbot.lanes.findings import LaneFinding, Told, findings
from syncbot.lanes.generate import Inputs
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.catalog import open_upstream
from syncbot.verify import executors

_SHOWN = 3


@click.group()
def command() -> None:
    """Move the version that the backend is written for.

    Example: syncbot baseline move v0.33.0
    """


@command.command(short_help="Rewrite the backend for another lane and make it the baseline.")
@click.argument("tag")
@click.option(
    "--simulate",
    is_flag=True,
    help="Run the simulated checks too that have passed: syncbot baseline move v0.33.0 --simulate.",
)
@click.option(
    "--allow-dirty",
    is_flag=True,
    help="Also where git shows changes that are not committed: syncbot baseline move v0.33.0 --allow-dirty.",
)
@click.option(
    "--backend",
    "root",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)
def move(tag: str, simulate: bool, allow_dirty: bool, root: Path) -> int:
    """Rewrite the backend for another lane of the matrix, newer or older, and make that the baseline.

    The patches between the two rewrite the backend's own sources; every other lane is generated from the
    new ones. Checks that lanes have passed are run again. If one fails now, if a patch on the way needs an
    author, or after any failure or Ctrl-C, every file is as it was before.

    Example: syncbot baseline move v0.33.0
    """
    config = configuration.load(root)
    update.transaction(config).recover()
    inputs = update.inputs_of(config)
    target = inputs.matrix.lane(tag)
    if target.tag == inputs.matrix.baseline:
        raise UsageError(f"{target.tag} is the baseline already: name another lane")
    if not allow_dirty:
        _refuse_dirty(config, inputs)
    planned = _plan(config, inputs, target)
    if planned.waiting:
        for patch in planned.waiting:
            click.echo(f"needs an author: {patch.symbol}: {patch.reason}")
        click.echo(f"nothing was moved: run syncbot apply --lane {target.tag} and complete what it writes")
        return 1
    verified = _verified(config, planned, simulate)
    if verified is None:
        click.echo("nothing was moved: what passed before fails after it")
        return 1
    lanes = baseline.carry_out(config, verified)
    note_proof(config)
    _say(config, verified, [lane.folder.name for lane in lanes])
    return 0


def _refuse_dirty(config: Config, inputs: Inputs) -> None:
    changed = uncommitted_files.uncommitted(config.root)
    if changed is None:
        raise UsageError(f"no git repository holds {config.root}: give --allow-dirty to move without one")
    if changed:
        names = ", ".join(str(path) for path in changed[:_SHOWN])
        more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
        raise UsageError(f"not committed: {names}{more}; commit first, or give --allow-dirty")


def _plan(config: Config, inputs: Inputs, target: Lane) -> Move:
    versions = [str(lane.version) for lane in inputs.matrix]
    with (
        meter() as progress,
        open_upstream(config, inputs.matrix.upstream, cache_dir(), versions, progress) as upstream,
    ):

        def find(matrix: Matrix, lane: Lane, folder: Path, told: Collection[Told]) -> Sequence[LaneFinding]:
            return findings(config, upstream, matrix, lane, folder, cache_dir(), told=told)

        return baseline.plan(config, inputs, target, find)


def _verified(config: Config, planned: Move, simulate: bool) -> Move | None:
    """The move with new evidence of every check that lanes have passed; None if one fails now."""
    worse = False
    with tempfile.TemporaryDirectory(prefix="syncbot-baseline-") as scratch:
        for lane in planned.matrix:
            passed = [name for name, evidence in lane.checks.items() if evidence.status == "pass"]
            wanted = [
                name for name in checks_of(config, (), static=not simulate, simulated=False) if name in passed
            ]
            if not wanted:
                continue
            made = generate.generate(planned.update.inputs, lane, Path(scratch) / lane.tag)
            inputs, run = planned.update.inputs, executors.executor(executors.DEFAULT).run
            for _, finding in findings_of(config, inputs, [lane], {lane.tag: made}, wanted, False, run):
                click.echo(line(lane, finding))
                worse = worse or (finding.check in passed and finding.evidence.status != "pass")
                before, evidence = lane.checks.get(finding.check), finding.evidence
                # The same said of the same sources: the first date stands.
                if before is None or before.model_copy(update={"date": evidence.date}) != evidence:
                    planned = planned.with_evidence(config, lane.tag, finding.check, evidence)
    return None if worse else planned


def _say(config: Config, done: Move, lanes: Sequence[str]) -> None:
    for patch in done.update.written:
        click.echo(f"patch {patch.id}: {patch.reason} ({', '.join(patch.lanes)})")
    for path in done.rewritten:
        click.echo(f"rewritten {config.backend}/{path}")
    for tag in lanes:
        paths = done.different.get(tag, ())
        click.echo(
            f"lane {tag}: " + (f"changed in {', '.join(paths)}" if paths else "the same sources as before")
        )
    click.echo(f"the baseline is {done.matrix.baseline}; before, it was {done.before.matrix.baseline}")
