"""The commands that go on from a report of ``check``: all that it cuts, and what it could not judge."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from syncbot.configuration_file import chosen_file


def whole_report(
    backend: Path, upstream: str | None, between: Iterable[tuple[str, str | None]], engines: Iterable[str]
) -> str:
    """The line for a shell that writes the same report with nothing left out. ``between`` are the options of
    its range with their values."""
    given = [part for option, value in between if value is not None for part in (option, value)]
    followed = ["--upstream", upstream] if upstream is not None else []
    where = ["--backend", str(backend)] if backend != Path() else []
    asked = [part for engine in engines for part in ("--engine", engine)]
    return shlex.join(
        ["syncbot", "check", *given, *followed, *where, *_configured(), *asked, "--format", "markdown"]
    )


def unjudged_list(backend: Path, upstream: str | None, at: str) -> str:
    """The line for a shell that lists what could not be judged, ``at`` the older end of the range."""
    followed = ["--upstream", upstream] if upstream is not None else []
    where = [str(backend)] if backend != Path() else []
    return shlex.join(["syncbot", "contracts", *where, "--unjudged", "--at", at, *followed, *_configured()])


def _configured() -> list[str]:
    chosen = chosen_file()
    return ["--config", str(chosen)] if chosen is not None else []
