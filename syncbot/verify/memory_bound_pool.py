"""Several commands at a time, as many as fit into memory."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def room(bytes_each: int, meminfo: Path = Path("/proc/meminfo")) -> int:
    """How many processes of that size the machine's available memory has room for, at least one."""
    try:
        lines = meminfo.read_text(encoding="ascii").splitlines()
        available = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, IndexError, ValueError):
        available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return max(1, available // bytes_each)


def run_all(commands: Sequence[Sequence[str]], at_once: int, say: Callable[[str], object]) -> list[int]:
    """Run commands, ``at_once`` together; their exit codes in order. ``say`` gets each line they print."""
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        return list(pool.map(lambda command: _run(command, say), commands))


def _run(command: Sequence[str], say: Callable[[str], object]) -> int:
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, encoding="utf-8"
    ) as process:
        for line in process.stdout or ():
            say(line.rstrip("\n"))
    return process.returncode
