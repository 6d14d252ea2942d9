"""How long it takes to generate all lanes: with nothing changed, and with one patch changed.

usage: python benchmarks/lanes.py [REPOSITORY] [--rounds 3]

REPOSITORY holds a backend with patches and a matrix (default: the current folder); a copy of it is worked on.
Three things are timed in a process each, start of Python included: lanes that are generated for the first
time, the same again, and again after one patch (the one that most lanes use) was changed. The best of the
rounds counts. Exit code 1 where nothing changed takes 1 s or more, or one patch 3 s or more.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from syncbot import config as configuration
from syncbot.lanes import update

_GENERATE = """
import sys
from pathlib import Path
from syncbot import config as configuration
from syncbot.lanes import generate, update
config = configuration.load(Path(sys.argv[1]))
inputs = update.inputs_of(config)
done = [generate.generate(inputs, lane, config.root / config.lanes / lane.tag) for lane in inputs.matrix]
print(len(done), sum(lane.written for lane in done))
"""


def generated(root: Path) -> tuple[tuple[float, float], int, int]:
    """Generate all lanes in a process: seconds on the clock and of CPU, lanes, and how many were written."""
    start, used = time.perf_counter(), _cpu()
    done = subprocess.run(
        [sys.executable, "-c", _GENERATE, str(root)], check=True, capture_output=True, text=True
    )
    lanes, written = map(int, done.stdout.split())
    return (time.perf_counter() - start, _cpu() - used), lanes, written


def _cpu() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def main(given: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("repository", type=Path, nargs="?", default=Path())
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(given)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "copy"
        left_out = shutil.ignore_patterns(".git", "build", "dist", "__pycache__", ".*cache", "tests", "docs")
        shutil.copytree(options.repository, root, ignore=left_out)
        config = configuration.load(root)
        inputs = update.inputs_of(config)
        used = [step.patch.id for lane in inputs.matrix for step in inputs.steps(lane)]
        patch = config.root / config.patches / f"{Counter(used).most_common(1)[0][0]}.yaml"
        text = patch.read_text(encoding="utf-8")
        first, lanes, _ = generated(root)
        same, changed = [], []
        for number in range(options.rounds):
            seconds, _, written = generated(root)
            assert not written
            same.append(seconds)
            patch.write_text(text.replace("reason: ", f"reason: ({number}) ", 1), encoding="utf-8")
            seconds, _, written = generated(root)
            changed.append(seconds)
    print(f"{lanes} lanes, {len(set(used))} patches, best of {options.rounds}")
    print(f"for the first time      {first[0]:6.2f} s, {first[1]:.2f} s of CPU")
    print(f"nothing changed         {min(same)[0]:6.2f} s, {min(same)[1]:.2f} s of CPU")
    print(f"one patch changed       {min(changed)[0]:6.2f} s, {min(changed)[1]:.2f} s of CPU")
    print(f"                        {written} lanes written ({patch.stem})")
    return 1 if min(same)[0] >= 1 or min(changed)[0] >= 3 else 0


if __name__ == "__main__":
    sys.exit(main())
