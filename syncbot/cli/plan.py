"""``syncbot plan``: the way to a newer upstream in steps, with proofs, edits and tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.cli.shared_output import say
from syncbot.errors import UsageError
from syncbot.garbage_collection import resting
from syncbot.report.untrusted_text import json_text
from syncbot.steps.cut import StepBounds


@click.command(short_help="Cut the way to a newer upstream into steps.")
@click.option(
    "--from", "old", required=True, metavar="REF",
    help="The upstream that the backend runs on now, such as 0.32.0 or a sha.",
)  # fmt: skip
@click.option(
    "--to", "new", metavar="REF",
    help="The upstream that it has to run on, such as 0.33.0. [default: the newest commit]",
)  # fmt: skip
@options.upstream
@options.by
@options.backend
@click.option(
    "--keep", metavar="VERSION",
    help="Keep the code for this version behind the configured gate, such as --keep 0.31.0.",
)  # fmt: skip
@click.option(
    "--lines", type=click.IntRange(1), default=StepBounds.lines, show_default=True,
    help="Changed lines of a step, such as 500; harmless commits do not count.",
)  # fmt: skip
@click.option(
    "--commits", type=click.IntRange(1), default=StepBounds.commits, show_default=True,
    help="Commits of a step, such as 10; harmless ones do not count.",
)  # fmt: skip
@options.text_or_json
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Write plan.json, a patch for each step and a file for each task into this new folder.",
)  # fmt: skip
@resting()
def command(style: str, output: Path | None, **asked: Any) -> int:
    """Cut the commits between two upstreams into steps.

    Each step says what its commits break, and which of them are proven harmless. 'git apply' takes its edits,
    on the result of the steps before. A break without a rewrite is a task: one file, with the command that
    says whether it is done.

    Example: syncbot plan --from 0.31.0 --to 0.32.0 --output plan
    """
    from syncbot.steps.plan_text import plan_lines, plan_value
    from syncbot.workflows.steps import PlanOptions, plan_steps, write_steps

    if output is not None and output.exists():
        raise UsageError(f"{output} exists: name a folder that is not there yet")
    with meter() as progress:
        done = plan_steps(PlanOptions(**asked), progress)
    if output is not None:
        write_steps(done, output)
    if style == "json":
        click.echo(json_text(plan_value(done.plan, done.tasks)))
    else:
        for line in plan_lines(done.plan, done.tasks):
            say(line)
    return int(bool(done.tasks))
