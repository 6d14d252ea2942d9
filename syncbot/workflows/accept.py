"""Accept a finding by its id, with a reason."""

from __future__ import annotations

import getpass
from dataclasses import dataclass
from pathlib import Path

from syncbot import config as configuration
from syncbot.accepting.entries import add, finding
from syncbot.accepting.told import identified, kept, of_report
from syncbot.errors import UsageError
from syncbot.upstream.cache_folder import cache_dir


@dataclass(frozen=True, slots=True)
class Accepted:
    """The ``file`` that a finding was written to, its id, and ``what`` it is: kind and symbol."""

    file: Path
    id: str
    what: str


def accept(
    backend: Path,
    identity: str,
    reason: str,
    author: str | None,
    expires: str | None,
    report: Path | None = None,
) -> Accepted:
    """Write a finding to the file of accepted ones, and return what was written. It is one of a ``report`` in
    JSON, else of those that checks of this project told. Raises UsageError for what is no id, reason or day,
    and for an id that no report has; ConfigurationError, and EnvironmentFailure."""
    config = configuration.load(backend)
    entry = finding(identity, reason, author or _user(), expires)
    reports = (of_report(report),) if report is not None else kept(cache_dir(), config.root)
    found = identified(entry.id, reports)
    if found is None and report is not None:
        raise UsageError(
            f"{report} has no finding {entry.id}: "
            f"syncbot check --format json --output {report} writes it again"
        )
    if found is None and not reports:
        raise UsageError(
            f"no report has {entry.id}, and no check of {config.root} was run here: run syncbot check first, "
            "or name a report in JSON: --report report.json"
        )
    if found is None:
        raise UsageError(
            f"no report has {entry.id}: not the last check of {config.root}, {reports[0].name}, nor any kept "
            "here before; run syncbot check again, or name a report in JSON: --report report.json"
        )
    file = config.root / config.accepted
    add(file, entry.model_copy(update={"id": found[0]}))
    return Accepted(file, *found)


def _user() -> str | None:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return None
