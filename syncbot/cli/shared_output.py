"""Output that several commands share, as text or as values of JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from syncbot.report.untrusted_text import printable

if TYPE_CHECKING:
    from syncbot.contracts.surface import Row
    from syncbot.impact.model import Impact


def say(line: str, err: bool = False) -> None:
    """Print what is one line, whatever the names in it hold."""
    click.echo(printable(line), err=err)


def impact_value(impact: Impact) -> dict[str, object]:
    """One impact, without what a reader of a report needs besides."""
    return {
        "id": impact.id,
        "verdict": impact.verdict.value,
        "kind": impact.kind,
        "symbol": impact.symbol,
        "message": impact.message,
        "checks": impact.checks,
        "locations": [asdict(place) for place in impact.locations],
    }


def contract_values(rows: Iterable[Row]) -> list[dict[str, object]]:
    """Return the symbols that the backend relies on, each with its places."""
    return [
        {"kind": row.kind, "symbol": row.symbol, "locations": [asdict(place) for place in row.places]}
        for row in rows
    ]


def contract_lines(rows: Iterable[Row]) -> list[str]:
    """Return the symbols that the backend relies on, one line each."""
    from syncbot.contracts.surface import shown

    return [f"{row.symbol} ({row.kind}): {shown(row.places)}" for row in rows]
