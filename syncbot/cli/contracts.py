"""``syncbot contracts``: what the backend relies on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click

from syncbot.cli.progress import meter
from syncbot.contracts.model import Contract
from syncbot.contracts.surface import Surface, shown, surface
from syncbot.impact.session import backend_of, opened
from syncbot.impact.trees import Trees
from syncbot.lanes import matrix as matrices
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.catalog import open_upstream
from syncbot.upstream.commit_range import resolve
from syncbot.workflows.project import configured

_MOST = 20


@click.command(short_help="List what the backend relies on, by kind and upstream module.")
@click.argument("path", type=click.Path(path_type=Path), default=Path())
@click.option("--symbol", metavar="NAME", help="Only this upstream symbol and below, such as vllm.config.")
@click.option("--at", "ref", metavar="REF", help="The upstream version relied on, such as 0.32.0.")
@click.option("--upstream", metavar="NAME|URL|PATH", help="Another upstream, such as ../vllm.")
@click.option(
    "--format", "style", type=click.Choice(("text", "json")), default="text", show_default=True,
    help="How they are listed, such as --format json.",
)  # fmt: skip
def command(path: Path, symbol: str | None, ref: str | None, upstream: str | None, style: str) -> int:
    """List what the backend at PATH relies on, by kind and by upstream module.

    Without --at: against the matrix's baseline, else the newest commit.

    Example: syncbot contracts --symbol vllm.config
    """
    config = configured(path)
    file = config.root / config.matrix
    baseline = matrices.load(file).baseline if file.exists() else None
    at = ref or (baseline if upstream is None else None)
    with (
        meter() as progress,
        open_upstream(config, upstream, cache_dir(), [at] if at else [], progress) as followed,
        opened(config, followed, backend_of(config), cache_dir()) as trees,
    ):
        commit = resolve(followed.repository, at) if at else followed.head
        found = surface(_located(trees, commit), symbol)
    click.echo(_as_json(found) if style == "json" else _as_text(found, symbol is not None))
    return 0


def _located(trees: Trees, commit: str) -> Iterator[tuple[Contract, str]]:
    tree = trees.tree(commit)
    for contract in trees.contracts(trees.universe(tree)):
        module = contract.symbol
        while module and not tree.exists(module):
            module = module.rpartition(".")[0]
        yield contract, module or "(not known)"


def _as_text(found: Surface, every: bool) -> str:
    lines = [f"{found.total} contracts with {len({r.symbol for r in found.rows})} upstream symbols", ""]
    lines += [f"{count:6} {kind}" for kind, count in found.by_kind]
    lines += ["", "by upstream module"]
    lines += [f"{count:6} {module}" for module, count in found.by_module[:_MOST]]
    if len(found.by_module) > _MOST:
        lines.append(f"       and {len(found.by_module) - _MOST} more modules (--format json lists all)")
    if every:
        lines += [""] + [f"{row.symbol} ({row.kind}): {shown(row.places)}" for row in found.rows]
    return "\n".join(lines)


def _as_json(found: Surface) -> str:
    document = {
        "total": found.total,
        "kinds": dict(found.by_kind),
        "modules": dict(found.by_module),
        "contracts": [
            {
                "kind": row.kind,
                "symbol": row.symbol,
                "locations": [{"file": p.file, "line": p.line, "column": p.column} for p in row.places],
            }
            for row in found.rows
        ],
    }
    return json.dumps(document, indent=1)
