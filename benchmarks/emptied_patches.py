"""How many of a project's patches does ``syncbot apply`` write by itself, with an empty folder of patches?

usage: python benchmarks/emptied_patches.py [REPOSITORY] [--results FILE] [--no-static]

REPOSITORY holds a backend with patches and a matrix (default: the current folder); a copy of it is worked
on. Its patches are taken away and ``syncbot apply`` is run. Counted are, of the patches that the project has,
those with an active patch now about the same class or module and of the same first version (``written``),
those that are found and need an author (``found``), and those of which nothing is found (``unseen``). A first
version that is no lane counts as the next one that is.

That a patch is about the same class says little. So each lane is checked statically as well: as the project
has it, as apply made it, and without patches. Of each patch of the project, on the first lane that needs it,
what it mends is what the check finds without it and not with it, all newer ones applied. ``mended`` are those
of which the check finds none of that in the lane that apply made; of ``silent`` ones it finds nothing anyway.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from syncbot import atomic
from syncbot import config as configuration
from syncbot.contracts.source_files import read_backend
from syncbot.impact.session import opened
from syncbot.lanes import generate, update
from syncbot.lanes.generate import Inputs
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.patching import model
from syncbot.patching.model import Patch
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.opening import open_upstream
from syncbot.verify.static_check import problems

#: What a check finds: the file and the words, without the line.
Problems = Counter[tuple[str, str]]


def copied(repository: Path, root: Path) -> Path:
    """Lay out the repository's last commit without its patches; return the folder that these were in."""
    root.mkdir()
    archive = subprocess.run(
        ["git", "-C", str(repository), "archive", "HEAD"], capture_output=True, check=True
    )
    subprocess.run(["tar", "-x", "-C", str(root)], input=archive.stdout, check=True)
    folder = root / configuration.load(root).patches
    for patch in folder.glob("*.yaml"):
        patch.unlink()
    return folder


def ran(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``syncbot …`` in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "syncbot", *arguments], cwd=root, capture_output=True, text=True
    )


def outcome(patch: Patch, made: Sequence[Patch], matrix: Matrix) -> str:
    """Return the outcome of a patch of the project: ``written``, ``found`` or ``unseen``."""
    first = needing(patch, matrix)
    same = [p for p in made if needing(p, matrix) == first and _related(p, patch)]
    if any(p.status == "active" for p in same):
        return "written"
    return "found" if same else "unseen"


def _related(one: Patch, other: Patch) -> bool:
    """Whether two patches are about one symbol, one and what is in it, or members of one class."""
    inside = one.symbol.startswith(f"{other.symbol}.") or other.symbol.startswith(f"{one.symbol}.")
    beside = one.symbol.rpartition(".")[0] == other.symbol.rpartition(".")[0]
    return one.symbol == other.symbol or inside or beside


def needing(patch: Patch, matrix: Matrix) -> Lane | None:
    """The newest lane that a patch of an older upstream is for."""
    older = [lane for lane in matrix if lane.version < patch.upstream.version]
    return max(older, key=lambda lane: lane.version, default=None)


def checked(own: Inputs, made: Inputs, root: Path) -> dict[str, Any]:
    """Return the counts of the static check on each lane, and the outcome of each patch of the project."""
    config = configuration.load(root)
    lanes = [lane for lane in own.matrix if lane.version < own.matrix.baseline_lane.version]
    versions = [str(lane.version) for lane in own.matrix]
    found: dict[str, dict[str, int]] = {}
    patches: dict[str, dict[str, int]] = {}
    with open_upstream(config, own.matrix.upstream, cache_dir(), versions) as upstream:
        there = upstream.repository.resolve(str(own.matrix.baseline_lane.version))
        for lane in lanes:
            here = upstream.repository.resolve(str(lane.version))
            mine = [s.patch for s in own.steps(lane)]
            theirs = [s.patch for s in made.steps(lane)]
            first = [p for p in mine if needing(p, own.matrix) == lane]
            states = [mine[: len(mine) - len(first) + n] for n in range(len(first) + 1)]
            sides = [_problems(config, upstream, own, lane, s, there, here) for s in (*states, theirs, [])]
            *steps, after, bare = sides
            found[lane.tag] = {
                "own": steps[-1].total(), "made": after.total(), "without": bare.total(),
                "mended": len(bare.keys() - after.keys()), "distinct": len(bare),
            }  # fmt: skip
            for patch, (before, now) in zip(first, pairwise(steps), strict=True):
                mended = before.keys() - now.keys()
                patches[patch.id] = {"mends": len(mended), "left": len(mended & after.keys())}
            print(lane.tag, found[lane.tag], file=sys.stderr, flush=True)
    results = Counter(
        "silent" if not p["mends"] else "mended" if not p["left"]
        else "partly" if p["left"] < p["mends"] else "left"
        for p in patches.values()
    )  # fmt: skip
    return {"lanes": found, "outcomes": dict(results), "by_patch": patches}


def _problems(
    config: configuration.Config,
    upstream: Any,
    inputs: Inputs,
    lane: Lane,
    patches: Sequence[Patch],
    there: str,
    here: str,
) -> Problems:
    """Return the problems that the static check finds in a lane with certain patches."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / lane.tag
        atomic.write_folder(folder, generate.render(replace(inputs, patches=patches), lane))
        backend = read_backend(folder, config.sources, ())
        with opened(config, upstream, backend, cache_dir()) as trees:
            return Counter((problem.file, problem.message) for problem in problems(trees, there, here))


def main(given: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("repository", type=Path, nargs="?", default=Path())
    parser.add_argument("--results", type=Path, help="write the figures to this file, as JSON")
    parser.add_argument("--no-static", action="store_true", help="check no lane")
    options = parser.parse_args(given)
    own = update.inputs_of(configuration.load(options.repository))
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "copy"
        folder = copied(options.repository, root)
        start = time.perf_counter()
        done = ran(root, "apply")
        seconds = time.perf_counter() - start
        if done.returncode > 1:
            print(done.stderr, file=sys.stderr)
            return done.returncode
        made = model.load(folder)
        by_patch = {patch.id: outcome(patch, made, own.matrix) for patch in own.patches}
        figures: dict[str, Any] = {
            "patches": len(own.patches),
            "outcomes": dict(Counter(by_patch.values())),
            "by_patch": by_patch,
            "made": dict(Counter(patch.status for patch in made)),
            "waiting": {p.id: p.reason for p in made if p.status != "active"},
            "written": {p.id: [r.rule for r in p.rewrites] for p in made if p.status == "active"},
            "seconds": round(seconds, 1),
            "apply": (done.stdout + done.stderr).splitlines()[-5:],
        }
        if options.results is not None:
            shutil.copytree(folder, options.results.with_suffix(""), dirs_exist_ok=True)
        if not options.no_static:
            figures["static"] = checked(own, replace(own, patches=tuple(made)), root)
    if options.results is not None:
        options.results.write_text(json.dumps(figures, indent=1))
    print(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
