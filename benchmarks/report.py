"""Measures a report: seconds and memory, with an empty cache and again.

usage: python benchmarks/report.py BACKEND UPSTREAM FROM TO [FORMAT]

BACKEND is a folder with a backend, UPSTREAM a git repository; FROM..TO is the range, such as a day's commits.
Type checkers are left out. Seconds are those of the clock and, since other programs run beside, of the
processor; memory is the largest resident size.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path

from measured import measured


def main() -> None:
    """Measure what the command line names, with an empty cache and with what that left."""
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    backend, upstream, old, new, *style = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        output, cache = Path(folder) / "report", Path(folder) / "cache"
        command = ["check", "--backend", backend, "--upstream", upstream]
        command += ["--from", old, "--to", new, "--engine", "contracts", "--output", str(output)]
        command += ["--format", *(style or ["markdown"])]
        print(f"empty cache: {measured(command, SYNCBOT_CACHE=str(cache))}")
        print(f"largest memory: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MiB")
        print(f"again: {measured(command, SYNCBOT_CACHE=str(cache))}")
        print(f"report: {output.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
