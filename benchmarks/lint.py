"""How long `syncbot lint` takes before a commit, on the commits of a real plugin.

usage: python benchmarks/lint.py PLUGIN.git [--commits 8] [-- ARGUMENTS OF LINT]

Each of the plugin's newest commits that changes its Python files is linted as if it were about to be made:
its tree is checked out, and held against its parent. The first one is cold, with an empty cache that
downloads the upstream; all others find what that one left. Printed: seconds of the clock and of the
processor, and what was said.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def git(folder: Path, *words: str) -> str:
    """Return what git says in a folder."""
    return subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, text=True).stdout


def timed(folder: Path, cache: Path, words: list[str]) -> tuple[float, float, str]:
    """Return seconds of the clock and of the processor, and the output of `syncbot lint`."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "syncbot", "lint", "--since", "HEAD~1", *words],
        cwd=folder, env=os.environ | {"SYNCBOT_CACHE": str(cache)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    after, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return clock, used, (done.stdout + done.stderr).strip()


def main() -> None:
    """Print a row for each commit, the first one cold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plugin", type=Path)
    parser.add_argument("--commits", type=int, default=8)
    own, _, words = " ".join(sys.argv[1:]).partition(" -- ")
    given = parser.parse_args(own.split())
    with tempfile.TemporaryDirectory() as made:
        folder, cache = Path(made, "plugin"), Path(made, "cache")
        git(Path(), "clone", "--quiet", "--shared", str(given.plugin), str(folder))
        listed = git(folder, "log", "--no-merges", "--format=%H", "--max-count=60", "--", "*.py").split()
        rows = 0
        print("commit      clock  processor  said")
        for sha in listed:
            git(folder, "checkout", "--quiet", "--detach", sha)
            clock, used, said = timed(folder, cache, words.split())
            if said.startswith("No source file"):
                continue
            print(f"{sha[:10]} {clock:6.1f} {used:10.1f}  {re.sub(chr(10), ' | ', said)}", flush=True)
            rows += 1
            if rows == given.commits:
                break


if __name__ == "__main__":
    main()
