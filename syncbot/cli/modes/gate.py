"""``syncbot apply --mode gate``: rewrite for a newer upstream and keep what an older one needs."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot.cli import migration
from syncbot.errors import UsageError
from syncbot.migrate.version_tests import gate_of, version_of
from syncbot.migrate.write_gates import gated
from syncbot.migrate.write_worktree import Worktree
from syncbot.patching.errors import CannotRewrite
from syncbot.workflows.project import configured


@click.command()
@click.option(
    "--keep", metavar="VERSION", help="The version whose code is kept, such as 0.31.0; else --from."
)
@click.option("--gate", "expression", metavar="EXPRESSION", help="Its test, such as 'up_is(\"{version}\")'.")
@click.option("--gate-import", "line", metavar="LINE", help="Such as 'from plugin.utils import up_is'.")
@migration.options
def command(
    keep: str | None,
    expression: str | None,
    line: str | None,
    old: str | None,
    new: str | None,
    upstream: str | None,
    root: Path,
    engine: str,
    check: bool,
    allow_dirty: bool,
) -> int:
    """Rewrite as --mode migrate does, and keep the old code behind the project's own test of the version.

    The test is 'gate' and 'gate_import' in [tool.syncbot]. A file in which both versions cannot be told
    apart by a gate is left as it is and named; then the exit code is 1.

    Example: syncbot apply --mode gate --backend ../plugin --from 0.31.0 --to 0.32.0
    """
    config = configured(root)
    version = _version(keep, old)
    gate = gate_of(expression or config.gate, line or config.gate_import)
    tree = Worktree(config.root)
    if not check:
        tree.begin(allow_dirty)
    plan = migration.planned(config, upstream, old, new, engine)
    texts, refused = {}, []
    for path, text in plan.migration.changes.items():
        file = config.backend_path / path
        try:
            # Not as text: that would hide Windows line ends, which a gate cannot be put between.
            before = file.read_bytes().decode("utf-8")
            texts[path] = gated(before, text, gate, version, path)
        except CannotRewrite as error:
            refused.append(str(error))
    if not check:
        tree.write({migration.below_root(config, path): text for path, text in texts.items()})
    code = migration.tell(plan, check)
    for why in refused:
        click.echo(f"not gated: {why}")
    click.echo(f"gates of {version} in {len(texts)} file{'' if len(texts) == 1 else 's'}")
    return 1 if refused else code


def _version(keep: str | None, old: str | None) -> str:
    """The version whose code is kept. Raises UsageError."""
    text = keep if keep is not None else (old or "").removeprefix("v")
    if "." not in text:
        raise UsageError("name the version whose code is kept: --keep 0.31.0")
    return version_of(text)
