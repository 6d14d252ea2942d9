"""The cost of a command: shared by the scripts that time the command line."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time


def measured(command: list[str], **environment: str) -> str:
    """Run syncbot with these arguments once: its seconds of clock and processor."""
    command = [sys.executable, "-m", "syncbot", *command]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env={**os.environ, **environment}, check=False)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} exited with {done.returncode}")
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{clock:.1f} s ({processor:.1f} s of processor)"
