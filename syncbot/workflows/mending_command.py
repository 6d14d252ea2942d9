"""The command that goes on where ``check`` ended: it writes what can be rewritten, or shows what cannot."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from syncbot.config import Config
from syncbot.configuration_file import chosen_file
from syncbot.impact.model import Impact, Verdict
from syncbot.lanes.matrix import Matrix


def mending_command(
    config: Config,
    backend: Path,
    upstream: str | None,
    ends: tuple[str, str],
    matrix: Matrix | None,
    impacts: Iterable[Impact],
) -> str:
    """The line for a shell: a project with lanes of this upstream gets patches, another one is migrated from
    the first end of the range to the second, or gets the tasks if no break has a fix.
    Sources that are somebody else's stay as they are."""
    chosen = chosen_file()
    where = ["--backend", str(backend)] if backend != Path() else []
    where += ["--config", str(chosen)] if chosen is not None else []
    old, new = ends
    if matrix is not None and upstream in (None, matrix.upstream):
        lane = new in {lane.tag for lane in matrix}
        return shlex.join(["syncbot", "apply", "--lane" if lane else "--to", new, *where])
    followed = ["--upstream", upstream] if upstream is not None else []
    breaks = [i for i in impacts if i.verdict is Verdict.BREAKS]
    rewritable = any(i.fix is not None for i in breaks)
    shown = ["--check"] if config.overlay is not None and rewritable else []
    name = "migrate" if rewritable else "plan"
    return shlex.join(["syncbot", name, "--from", old, "--to", new, *followed, *where, *shown])
