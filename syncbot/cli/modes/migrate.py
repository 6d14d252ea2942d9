"""``syncbot apply --mode migrate``: rewrite a backend that has no lanes to a newer upstream."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot.cli import migration
from syncbot.migrate.write_worktree import Worktree
from syncbot.workflows.project import configured


@click.command()
@migration.options
def command(
    old: str | None,
    new: str | None,
    upstream: str | None,
    root: Path,
    engine: str,
    check: bool,
    allow_dirty: bool,
) -> int:
    """Rewrite what upstream broke in the working tree, where a rewrite is surely right.

    Every rewrite is proven before a file is written: the static check no longer finds what it mends, finds
    nothing that it did not find before, and every file compiles. The rest is listed, each with the reason
    why it needs an author; then the exit code is 1. All files change together or not at all.

    Example: syncbot apply --mode migrate --backend ../plugin --from 0.31.0 --to 0.32.0
    """
    config = configured(root)
    tree = Worktree(config.root)
    if not check:
        tree.begin(allow_dirty)
    plan = migration.planned(config, upstream, old, new, engine)
    if not check:
        tree.write(
            {migration.below_root(config, path): text for path, text in plan.migration.changes.items()}
        )
    return migration.tell(plan, check)
