"""Time what a person waits for in an overlay project: patch test of one patch, and apply of one lane, warm.

usage: python benchmarks/overlay_speed.py OVERLAY [--patch ID]... [--apply TAG]...

Works in a copy of OVERLAY that stands beside it and is removed at last, without its generated lanes. Each
command runs once unmeasured, so that the cache has what it keeps.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import tempfile
from pathlib import Path

from measured import measured


def main() -> None:
    """Run the commands that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("overlay", type=Path)
    parser.add_argument("--patch", action="append", default=[])
    parser.add_argument("--apply", action="append", default=[])
    options = parser.parse_args()
    overlay: Path = options.overlay.resolve()
    # What is configured relative to the overlay is found from beside it, too.
    with tempfile.TemporaryDirectory(prefix=".speed-", dir=overlay.parent) as folder:
        copy = Path(folder)
        ignored = shutil.ignore_patterns("build", "wheels")
        shutil.copytree(overlay, copy, ignore=ignored, dirs_exist_ok=True)
        for name in options.patch:
            _report(["patch", "test", name, "--backend", folder])
        for tag in options.apply:
            _report(["apply", "--lane", tag, "--backend", folder])


def _report(command: list[str]) -> None:
    measured(command)
    took = measured(command)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(" ".join(command[:3]), took, f"{memory} MB at most so far", flush=True)


if __name__ == "__main__":
    main()
