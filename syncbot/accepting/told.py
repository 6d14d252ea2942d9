"""The findings that a project's checks told, kept so that nobody accepts what no report has."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from syncbot import sealed_values
from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.impact.model import Impact
from syncbot.limits import document_text


@dataclass(frozen=True, slots=True)
class ToldFindings:
    """The findings of one report: its ``name`` for a reader, and the kind and symbol of each finding by its
    id; ``moment`` orders reports."""

    name: str
    findings: Mapping[str, str] = field(default_factory=dict)
    moment: float = 0.0


def told(name: str, impacts: Iterable[Impact], moment: float) -> ToldFindings:
    """Return the findings of a report."""
    return ToldFindings(name, {each.id: f"{each.kind} {each.symbol}" for each in impacts}, moment)


def keep(cache: Path, root: Path, question: str, found: ToldFindings) -> None:
    """Keep what a check of the project in ``root`` told, in place of what it told on the same ``question``
    before. A cache that cannot be written is no error."""
    file = _of(cache, root) / f"{hashlib.sha256(question.encode()).hexdigest()[:32]}.json"
    with suppress(EnvironmentFailure):
        sealed_values.keep(cache, file, msgspec.json.encode(found))


def kept(cache: Path, root: Path) -> tuple[ToldFindings, ...]:
    """Return what checks of a project told, the newest first."""
    texts = (sealed_values.recall(cache, file) for file in sorted(_of(cache, root).glob("*.json")))
    found = [msgspec.json.decode(text, type=ToldFindings) for text in texts if text is not None]
    return tuple(sorted(found, key=lambda each: each.moment, reverse=True))


def of_report(file: Path) -> ToldFindings:
    """Return the findings of a report that ``syncbot check --format json`` wrote. Raises UsageError for any
    other file."""
    try:
        document = json.loads(document_text(file))
        reports = document.get("reports", [document])
        rows = [row for report in reports for row in (*report["impacts"], *report.get("accepted", ()))]
        return ToldFindings(str(file), {str(row["id"]): _words(row) for row in rows})
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"{file} is no report: syncbot check --format json --output {file}") from None


def identified(identity: str, reports: Iterable[ToldFindings]) -> tuple[str, str] | None:
    """Return the id that an id, or how one begins, stands for in some reports, with its kind and symbol; None
    where no report has it. Raises UsageError where several begin so."""
    found = {
        known: what for each in reports for known, what in each.findings.items() if known.startswith(identity)
    }
    if len(found) > 1:
        raise UsageError(
            f"{len(found)} findings begin with {identity}: give one of {', '.join(sorted(found))}"
        )
    return next(iter(found.items()), None)


def _of(cache: Path, root: Path) -> Path:
    return cache / "told" / hashlib.sha256(bytes(root.resolve())).hexdigest()[:32]


def _words(row: Mapping[str, Any]) -> str:
    return " ".join(str(row[key]) for key in ("kind", "symbol") if row.get(key))
