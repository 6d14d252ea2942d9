"""How much processor time a command and all that it started have used, and when that is too much or none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

#: A process that waits for others still looks at its watch: less of one processor than this is nothing.
_NOTHING = 0.01


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds of ``processor`` time that a command may use from one sign of progress to the next, which is
    that the file ``progress`` was written, and the seconds on the clock after which it is ``idle`` if it used
    none."""

    processor: float
    idle: float
    progress: Path


@dataclass(frozen=True, slots=True)
class Look:
    """An observation of a command: the clock, the processor time until then, and when it last wrote."""

    clock: float
    used: float
    written: int | None


class Watch:
    """Compares looks at one command with its limits."""

    def __init__(self, limits: Limits, first: Look) -> None:
        self._limits = limits
        self._progress = self._busy = first
        self._used = first.used

    def reached(self, look: Look) -> str | None:
        """The limit that is reached, in words, or None."""
        limits = self._limits
        # A process that ends unnoticed takes its time along: what was used stays used.
        self._used = max(self._used, look.used)
        now = Look(look.clock, self._used, look.written)
        if now.written != self._progress.written:
            self._progress = now
        if now.used - self._busy.used > _NOTHING * limits.idle:
            self._busy = now
        if now.used - self._progress.used > limits.processor:
            return f"not done after {limits.processor:.0f} s of processor time"
        if now.clock - self._busy.clock > limits.idle:
            return f"used no processor time for {limits.idle:.0f} s"
        return None


def look(leader: int, progress: Path, clock: float, processes: Path = Path("/proc")) -> Look:
    """Return an observation of the session that a process leads and of all descendants of that process. Where
    the system does not tell, all time on the clock counts as used."""
    written = None
    with suppress(OSError):
        written = progress.stat().st_mtime_ns
    known = dict(_processes(processes))
    if not known:
        return Look(clock, clock, written)
    tick = os.sysconf("SC_CLK_TCK")
    family = {pid for pid, seen in known.items() if seen.session == leader or _descends(pid, leader, known)}
    return Look(clock, sum(known[pid].ticks for pid in family) / tick, written)


@dataclass(frozen=True, slots=True)
class _Process:
    parent: int
    session: int
    ticks: int


def _processes(folder: Path) -> Iterator[tuple[int, _Process]]:
    numbers = [name for name in os.listdir(folder) if name.isdigit()] if folder.is_dir() else []
    for number in numbers:
        # Any of them may end while it is looked at; a pattern of paths fails then.
        with suppress(OSError, ValueError, IndexError):
            text = (folder / number / "stat").read_text(encoding="utf-8", errors="replace")
            # The name, in parentheses, may hold anything.
            fields = text.rpartition(")")[2].split()
            # Its own time in both modes, and that of the children that it waited for.
            process = _Process(int(fields[1]), int(fields[3]), sum(map(int, fields[11:15])))
            yield int(number), process


def _descends(pid: int, ancestor: int, known: dict[int, _Process]) -> bool:
    while pid in known and pid != ancestor:
        pid = known[pid].parent
    return pid == ancestor
