"""``syncbot gate check``: one tree of the backend against several upstream trees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.cli.shared_output import say
from syncbot.garbage_collection import resting
from syncbot.report.untrusted_text import json_text

if TYPE_CHECKING:
    from syncbot.workflows.gate_check import CheckedTree

_UNGATED = (
    "syncbot: no test of versions is known, so all code is judged on every tree: set gate in [tool.syncbot], "
    "such as gate = 'upstream_is(\"{version}\")'"
)


@click.command(short_help="Check the sources against several upstream trees.")
@click.option(
    "--trees", "words", multiple=True, required=True, metavar="NAME=REF,...",
    help="The upstream trees, such as --trees main=HEAD,release=v0.31.0.",
)  # fmt: skip
@options.upstream
@options.backend
@options.written_as(("text", "json", "flow"))
@resting()
def command(words: tuple[str, ...], style: str, upstream: str | None, backend: Path) -> int:
    """Say what each of several upstream trees lacks of what the sources rely on.

    It decides your own test of versions ('gate' in the configuration) for each tree, and judges the code
    behind it on that version alone. A tree without a version's tag is none of the tested versions. A name
    that one tree alone lacks comes first: there a test of versions is missing or wrong. Without 'gate', it
    judges all code on every tree. The format flow is that of pre_ci_check.json of a public upgrade flow. Exit
    code 0: no violation. 1: a tree has one. 2: wrong use. 3: no network, no git.

    Example: syncbot gate check --upstream ../vllm --trees main=HEAD,release=v0.31.0
    """
    from syncbot.workflows.gate_check import GateCheckOptions, check_gates, named_trees
    from syncbot.workflows.project import configured

    with meter() as progress:
        asked = GateCheckOptions(trees=named_trees(words), backend=backend, upstream=upstream)
        checked = check_gates(asked, progress)
    if configured(backend).gate is None:
        say(_UNGATED, err=True)
    if style == "text":
        for tree in checked:
            count = len(tree.violations)
            alone = f", {len(tree.alone)} not on every tree" if tree.alone and len(checked) > 1 else ""
            say(f"{tree.name} ({tree.commit[:10]}): {count} violation{'' if count == 1 else 's'}{alone}")
            for each in sorted(tree.violations, key=lambda v: v not in tree.alone):
                say(f"  {each}")
    else:
        click.echo(json_text(_flow(checked) if style == "flow" else _json(checked)))
    return int(any(tree.violations for tree in checked))


def _json(checked: tuple[CheckedTree, ...]) -> dict[str, object]:
    return {
        "schema": 1,
        "trees": [
            {
                "name": tree.name,
                "commit": tree.commit,
                "violations": [
                    {
                        "file": v.file,
                        "line": v.line,
                        "column": v.column,
                        "message": v.message,
                        "alone": v in tree.alone,
                    }
                    for v in tree.violations
                ],
            }
            for tree in checked
        ],
    }


def _flow(checked: tuple[CheckedTree, ...]) -> dict[str, object]:
    return {
        "all_passed": not any(tree.violations for tree in checked),
        "checks": [
            {"name": f"contracts-{tree.name}", "violations": [str(v) for v in tree.violations]}
            for tree in checked
        ],
    }
