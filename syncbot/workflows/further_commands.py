"""The commands that go on from a report of ``check``: all that it cuts, and what it could not judge."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from syncbot.configuration_file import chosen_file
from syncbot.report.covered import LAST


def whole_report(
    backend: Path,
    upstream: str | None,
    moments: tuple[str | None, str | None] | None,
    ends: tuple[str, str],
    by: str | None,
    engines: Iterable[str],
) -> str:
    """The line for a shell that writes the same report with nothing left out: of the period between
    ``moments``, else of the range between ``ends``."""
    if moments is not None:
        # Where the report before this one ended, it had no moment.
        between = {"--since": "yesterday" if moments[0] == LAST else moments[0], "--until": moments[1]}
    else:
        between = {"--from": ends[0], "--to": ends[1]}
    asked = {**between, "--by": by, "--upstream": upstream}
    given = [part for option, value in asked.items() if value is not None for part in (option, value)]
    where = ["--backend", str(backend)] if backend != Path() else []
    asked_engines = [part for engine in engines for part in ("--engine", engine)]
    return shlex.join(
        ["syncbot", "check", *given, *where, *_configured(), *asked_engines, "--format", "markdown"]
    )


def unjudged_list(backend: Path, upstream: str | None, at: str) -> str:
    """The line for a shell that lists what could not be judged, ``at`` the older end of the range."""
    followed = ["--upstream", upstream] if upstream is not None else []
    where = [str(backend)] if backend != Path() else []
    return shlex.join(["syncbot", "contracts", *where, "--unjudged", "--at", at, *followed, *_configured()])


def _configured() -> list[str]:
    chosen = chosen_file()
    return ["--config", str(chosen)] if chosen is not None else []
