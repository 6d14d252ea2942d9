"""``syncbot contracts``: what the backend relies on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from syncbot.cli import options
from syncbot.cli.progress import meter
from syncbot.cli.shared_output import contract_lines, contract_values
from syncbot.report.untrusted_text import json_text, printable

if TYPE_CHECKING:
    from syncbot.contracts.surface import Surface

_MOST = 20


@click.command(short_help="List what the backend relies on, by kind and upstream module.")
@click.argument("backend", metavar="[PATH]", type=click.Path(path_type=Path), default=Path())
@options.configuration
@click.option("--symbol", metavar="NAME", help="Only this upstream symbol and below, such as vllm.config.")
@click.option("--at", metavar="REF", help="The upstream version relied on, such as 0.32.0.")
@click.option("--unjudged", is_flag=True, help="List only what could not be judged, and where.")
@options.upstream
@options.text_or_json
def command(style: str, unjudged: bool, **asked: Any) -> int:
    """List what the backend at PATH relies on, by kind and by upstream module.

    Without --at, the version is the matrix's baseline; without a matrix, the newest commit.

    Example: syncbot contracts --symbol vllm.config
    """
    from syncbot.workflows.contracts import ContractsOptions, list_contracts

    wanted = ContractsOptions(**asked)
    with meter() as progress:
        found = list_contracts(wanted, progress)
    if style == "json":
        click.echo(_as_json(found))
    else:
        click.echo(_unjudged(found) if unjudged else _as_text(found, wanted.symbol is not None))
    return 0


def _unjudged(found: Surface) -> str:
    lines = [f"{len(found.unanalysed)} files"]
    lines += [f"  {file}: {reason}" for file, reason in found.unanalysed]
    for what, rows in (
        ("objects without a known class", found.objects),
        ("imports of what cannot be seen upstream", found.unknown),
    ):
        lines.append(f"{sum(len(row.places) for row in rows)} {what}")
        lines += [f"  {p.file}:{p.line}: {row.symbol}" for row in rows for p in row.places]
    return "\n".join(map(printable, lines))


def _as_text(found: Surface, every: bool) -> str:
    lines = [f"{found.total} contracts with {len({r.symbol for r in found.rows})} upstream symbols"]
    lines += [f"not analysed: {file}: {reason}" for file, reason in found.unanalysed]
    lines.append("")
    lines += [f"{count:6} {kind}" for kind, count in found.by_kind]
    lines += ["", "by upstream module"]
    lines += [f"{count:6} {module}" for module, count in found.by_module[:_MOST]]
    if len(found.by_module) > _MOST:
        lines.append(f"       and {len(found.by_module) - _MOST} more modules (--format json lists all)")
    if every:
        lines += ["", *contract_lines(found.rows)]
    return "\n".join(map(printable, lines))


def _as_json(found: Surface) -> str:
    document = {
        "total": found.total,
        "kinds": dict(found.by_kind),
        "modules": dict(found.by_module),
        "contracts": contract_values(found.rows),
        "objects": contract_values(found.objects),
        "unknown": contract_values(found.unknown),
        "unanalysed": [{"file": file, "reason": reason} for file, reason in found.unanalysed],
    }
    return json_text(document)
