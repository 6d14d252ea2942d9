"""Measures a report: seconds and memory, with an empty cache and again.

usage: python benchmarks/report.py BACKEND UPSTREAM FROM TO [FORMAT]

BACKEND is a folder with a backend, UPSTREAM a git repository; FROM..TO is the range, such as a day's commits.
Type checkers are left out. Seconds are those of the clock and, since other programs run beside, of the
processor; memory is the largest resident size.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def measured(command: list[str], cache: Path) -> str:
    """Run a command once: its seconds of clock and processor."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env={**os.environ, "SYNCBOT_CACHE": str(cache)}, check=False)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} exited with {done.returncode}")
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{clock:.1f} s ({processor:.1f} s of processor)"


def main() -> None:
    """Measure what the command line names, with an empty cache and with what that left."""
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    backend, upstream, old, new, *style = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        output, cache = Path(folder) / "report", Path(folder) / "cache"
        command = [sys.executable, "-m", "syncbot", "check", "--backend", backend, "--upstream", upstream]
        command += ["--from", old, "--to", new, "--engine", "contracts", "--output", str(output)]
        command += ["--format", *(style or ["markdown"])]
        print(f"empty cache: {measured(command, cache)}")
        print(f"largest memory: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MiB")
        print(f"again: {measured(command, cache)}")
        print(f"report: {output.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
