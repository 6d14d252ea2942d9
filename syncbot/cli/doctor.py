"""``syncbot doctor``: which lane the installed stack fits, and the command that mends what does not."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import click

from syncbot import config as configuration
from syncbot.config import Config
from syncbot.lanes import matrix as matrices
from syncbot.lanes.lane_upstream import distribution_of
from syncbot.lanes.matrix import Matrix
from syncbot.verify.installed_stack import Installed, current_interpreter, look
from syncbot.verify.stack_fit import LaneFit, Names, examine


@click.command()
@click.option(
    "--python", "interpreter", metavar="PATH", type=click.Path(path_type=Path),
    help="Interpreter of the environment to look at, such as /opt/venv/bin/python. "
    "[default: the active virtual environment's, else syncbot's own]",
)  # fmt: skip
@click.option("--lane", "tag", metavar="TAG", help="Only this lane, such as v0.28.0.")
@click.option(
    "--backend", "root", type=click.Path(path_type=Path), default=Path(),
    show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)  # fmt: skip
@click.option(
    "--format", "style", type=click.Choice(("text", "json")), default="text", show_default=True,
    help="How it is told, such as --format json.",
)  # fmt: skip
def command(interpreter: Path | None, tag: str | None, root: Path, style: str) -> int:
    """Hold the installed stack against the lanes of the matrix.

    Versions are read from metadata and files; nothing that is installed is imported. The exit code is 0
    if what is installed fits a lane, else 1.

    Example: syncbot doctor --python .venv/bin/python
    """
    config = configuration.load(root)
    matrix = matrices.load(config.root / config.matrix)
    if tag is not None:
        chosen = matrix.lane(tag)
        matrix = matrix.model_copy(update={"lanes": (chosen,)})
    installed = look(interpreter or current_interpreter(os.environ), config.parts)
    fits = examine(matrix, installed, _names(config, matrix), tuple(config.parts), config.wheels)
    click.echo(_json(installed, fits) if style == "json" else _text(installed, fits))
    return 0 if any(fit.fits for fit in fits) else 1


def _names(config: Config, matrix: Matrix) -> Names:
    build = config.simulate.build_environment if config.simulate is not None else {}
    return Names(distribution_of(config, matrix), config.project.distribution, build)


def _text(installed: Installed, fits: Sequence[LaneFit]) -> str:
    lines = [f"{installed.interpreter}: Python {installed.python}"]
    best = fits[0] if fits else None
    for fit in fits:
        wrong = sum(row.fit in ("differs", "missing") for row in fit.rows)
        lines += ["", f"lane {fit.lane}: {'fits' if fit.fits else f'{wrong} of {len(fit.rows)} do not fit'}"]
        width = max(len(row.name) for row in fit.rows)
        for row in fit.rows:
            found = row.found or "not found"
            wanted = f"needs {row.wanted}" if row.wanted is not None else "the matrix pins none"
            lines.append(f"  {row.name:<{width}}  {row.fit:<10}  {found} ({wanted})")
    if best is not None and not best.fits:
        lines += ["", f"to mend it for {best.lane}:"]
        lines += [f"  {step}" for step in best.mend]
        lines += [f"  by hand: {step}" for step in best.by_hand]
    return "\n".join(lines)


def _json(installed: Installed, fits: Sequence[LaneFit]) -> str:
    document = {
        "interpreter": str(installed.interpreter),
        "python": installed.python,
        "fits": [fit.lane for fit in fits if fit.fits],
        "lanes": [
            {
                "tag": fit.lane,
                "fits": fit.fits,
                "stack": [
                    {"name": row.name, "wanted": row.wanted, "found": row.found, "fit": row.fit}
                    for row in fit.rows
                ],
                "mend": list(fit.mend),
                "by_hand": list(fit.by_hand),
            }
            for fit in fits
        ],
    }
    return json.dumps(document, indent=1)
