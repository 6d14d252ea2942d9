"""Measures what `syncbot check --since` costs in an empty home: nothing new, one release, a day of commits.

usage: python benchmarks/morning.py [--release DAY] [--repository PATH --day DAY]

Run it in a fresh clone. A row each, from an empty cache: seconds of the processor (all processes), and the
bytes that were downloaded: listings and archives, none for a repository on the disk.

- nothing new: ``--since yesterday --by releases``, if no release came since;
- one release: ``--since DAY --by releases``, DAY being the day of the newest release;
- a day of commits: ``--upstream PATH --since DAY --until DAY``, with the backend in ``--backend``.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--release", metavar="DAY", help="the day of the newest release")
    parser.add_argument("--repository", type=Path, help="a git repository of upstream on this disk")
    parser.add_argument("--day", help="a day with commits of it, such as 2026-07-22")
    parser.add_argument("--backend", default=".", help="the backend that the day is checked with")
    given = parser.parse_args()
    rows = {"nothing new": ["--since", "yesterday", "--by", "releases"]}
    if given.release:
        rows["one release"] = ["--since", given.release, "--by", "releases"]
    if given.repository and given.day:
        rows["a day of commits"] = [
            *("--upstream", str(given.repository), "--since", f"{given.day} 00:00"),
            *("--until", f"{given.day} 23:59", "--backend", given.backend),
        ]
    print("| | processor | downloaded | first line |\n|---|---|---|---|")
    for name, arguments in rows.items():
        print(_row(name, arguments), flush=True)
    return 0


def _row(name: str, arguments: list[str]) -> str:
    with tempfile.TemporaryDirectory() as cache:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-m", "syncbot", "check", "--fail-on", "never", *arguments],
            env={**os.environ, "SYNCBOT_CACHE": cache},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        kept = [*Path(cache, "downloads").rglob("*"), *Path(cache, "releases").glob("*.json")]
        size = sum(file.stat().st_size for file in kept if file.is_file())
    return f"| {name} | {seconds:.1f} s | {size / 1e6:.1f} MB | {done.stdout.splitlines()[0]} |"


if __name__ == "__main__":
    raise SystemExit(main())
