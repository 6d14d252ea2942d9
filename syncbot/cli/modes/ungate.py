"""``syncbot apply --mode ungate``: remove the tests of versions that are no longer supported."""

from __future__ import annotations

from pathlib import Path

import click

from syncbot import config as configuration
from syncbot.cli import migration
from syncbot.impact.session import backend_of
from syncbot.migrate.remove_gates import ungated
from syncbot.migrate.version_tests import Gate, gate_of
from syncbot.migrate.write_worktree import Worktree
from syncbot.patching.errors import CannotRewrite, NoMatch


@click.command()
@click.argument("versions", nargs=-1, required=True, metavar="VERSION...")
@click.option("--gate", "expression", metavar="EXPRESSION", help="The test, such as 'up_is(\"{version}\")'.")
@click.option(
    "--backend", "root", type=click.Path(path_type=Path), default=Path(), show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)  # fmt: skip
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 if anything would change.")
@click.option("--allow-dirty", is_flag=True, help="Rewrite although there are changes not committed.")
def command(
    versions: tuple[str, ...], expression: str | None, root: Path, check: bool, allow_dirty: bool
) -> int:
    """Remove the gates of VERSIONs that nobody runs any more: what all other versions do stays.

    The import of the test goes too, where nothing uses it any more. Files change all or none.

    Example: syncbot apply --mode ungate 0.30.0 --backend ../plugin
    """
    config = configuration.load(root)
    gate = gate_of(expression or config.gate, config.gate_import)
    tree = Worktree(config.root)
    if not check:
        tree.begin(allow_dirty)
    texts, refused = {}, []
    missing = set(versions)
    for file in backend_of(config).files:
        try:
            text = file.text.decode("utf-8")
            texts[file.path] = ungated(text, gate, versions, file.path)
            missing -= {version for version in missing if _has(text, gate, version, file.path)}
        except NoMatch:
            continue
        except UnicodeDecodeError:
            if gate.name.encode() in file.text:
                refused.append(f"{file.path}: it is not UTF-8")
        except CannotRewrite as error:
            refused.append(str(error))
    if not check:
        tree.write({migration.below_root(config, path): text for path, text in texts.items()})
    for path in sorted(texts):
        click.echo(f"{path}: {'would lose' if check else 'lost'} its gates of {', '.join(versions)}")
    for why in refused:
        click.echo(f"left as it is: {why}")
    if missing and not refused:
        click.echo(f"no gate of {', '.join(v for v in versions if v in missing)} found")
    return 1 if refused or (check and texts) else 0


def _has(text: str, gate: Gate, version: str, path: str) -> bool:
    try:
        ungated(text, gate, [version], path)
    except NoMatch:
        return False
    return True
