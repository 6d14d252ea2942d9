"""How many of a project's patches does ``syncbot apply`` write by itself, with an empty folder of patches?

usage: python benchmarks/emptied_patches.py [REPOSITORY] [--results FILE] [--no-static]

REPOSITORY holds a backend with patches and a matrix (default: the current folder); a copy of it is worked
on. Its patches are taken away and ``syncbot apply`` is run. Counted are, of the patches that the project has,
those whose class or module and first version have an active patch now (``written``), those that are found and
need an author (``found``), and those that nobody misses (``unseen``: what they answer breaks nothing that can
be seen); and of the patches that apply made, how many rewrite. Then each lane is checked statically.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from syncbot import config as configuration
from syncbot.patching import model
from syncbot.patching.model import Patch


def copied(repository: Path, root: Path) -> Path:
    """Copy what lanes are made of; the folder of patches, which is empty in the copy."""
    config = configuration.load(repository)
    root.mkdir()
    for name in ("pyproject.toml", config.matrix):
        shutil.copy(repository / name, root / name)
    for name in (config.backend, config.derived):
        shutil.copytree(repository / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    folder = root / config.patches
    folder.mkdir()
    return folder


def ran(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``syncbot …`` in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "syncbot", *arguments], cwd=root, capture_output=True, text=True
    )


def outcome(patch: Patch, made: Sequence[Patch]) -> str:
    """What became of a patch of the project: ``written``, ``found`` or ``unseen``."""
    same = [
        p for p in made if p.upstream.first_version == patch.upstream.first_version and _related(p, patch)
    ]
    if any(p.status == "active" for p in same):
        return "written"
    return "found" if same else "unseen"


def _related(one: Patch, other: Patch) -> bool:
    """Whether two patches are about one symbol, or about members of one class."""
    return one.symbol == other.symbol or one.symbol.rpartition(".")[0] == other.symbol.rpartition(".")[0]


def static(root: Path) -> dict[str, str]:
    """What the static check of each lane says, without the seconds that it took."""
    told = ran(root, "verify", "--static").stdout
    return {
        line.split(":")[0]: re.sub(r"\d+(\.\d+)? s\b", "", line) for line in told.splitlines() if ":" in line
    }


def main(given: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("repository", type=Path, nargs="?", default=Path())
    parser.add_argument("--results", type=Path, help="write the figures to this file, as JSON")
    parser.add_argument("--no-static", action="store_true", help="check no lane")
    options = parser.parse_args(given)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "copy"
        folder = copied(options.repository, root)
        before = model.load(options.repository / folder.name)
        start = time.perf_counter()
        done = ran(root, "apply")
        seconds = time.perf_counter() - start
        if done.returncode > 1:
            print(done.stderr, file=sys.stderr)
            return done.returncode
        made = model.load(folder)
        figures: dict[str, Any] = {
            "patches": len(before),
            "outcomes": dict(Counter(outcome(patch, made) for patch in before)),
            "by_patch": {patch.id: outcome(patch, made) for patch in before},
            "made": dict(Counter(patch.status for patch in made)),
            "waiting": {p.id: p.reason for p in made if p.status != "active"},
            "written": {p.id: [r.rule for r in p.rewrites] for p in made if p.status == "active"},
            "seconds": round(seconds, 1),
            "apply": (done.stdout + done.stderr).splitlines()[-5:],
        }
        if not options.no_static:
            figures["static"] = static(root)
        if options.results is not None:
            shutil.copytree(folder, options.results.with_suffix(""), dirs_exist_ok=True)
            options.results.write_text(json.dumps(figures, indent=1))
    print(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
