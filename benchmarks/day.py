"""Measures what a day's commits cost: cold, the next day, and what else one may start from.

usage: python benchmarks/day.py BACKEND UPSTREAM PACKAGE OLD MIDDLE NEW [--before FOLDER] [--checkers]

BACKEND is a folder with a backend, UPSTREAM a git repository of PACKAGE. OLD..MIDDLE is one day and
MIDDLE..NEW the next, such as ``main~100 main~50 main``. One line a run, with the seconds of the clock and of
the processor and the largest resident size of one process:

- cold: the first day from an empty cache;
- next day: the second day with the cache that the first one left, as a nightly run finds it;
- no result kept: the second day with all symbol tables and contracts, but not its own result;
- no contract kept: the same where nothing is known of the backend, as after an update of syncbot;
- both changed: the next day, where the backend was that in FOLDER on the first one;
- again: the second day once more.

With ``--checkers`` the installed type checkers run too; what they said of one side is kept like tables, what
came of both is thrown away with the result. Python's bytecode is kept, as it is of an installed program.
Last, other programs on the same sources: git telling the second day's changes, Python parsing the files of
NEW, and griffe and pyrefly where they are installed.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

_PARSE = "import ast,gc,sys,pathlib; gc.disable()\nfor p in pathlib.Path(sys.argv[1]).rglob('*.py'):\n"
_PARSE += "    ast.parse(p.read_bytes())"
_GRIFFE = "import griffe,sys; griffe.load(sys.argv[2], search_paths=[sys.argv[1]], allow_inspection=False)"


def measured(name: str, command: list[str], cache: Path) -> None:
    """Run a command once, in a process of its own, and print what it took."""
    child = os.fork()
    if child == 0:
        start = time.perf_counter()
        environment = {**os.environ, "SYNCBOT_CACHE": str(cache)}
        environment["PYTHONPYCACHEPREFIX"] = str(cache.with_name("bytecode"))
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        done = subprocess.run(
            command, env=environment, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        clock, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = used.ru_utime + used.ru_stime
        print(
            f"{name:22}{clock:8.2f} s {processor:8.2f} s of processor {used.ru_maxrss >> 10:6} MB"
            + ("" if done.returncode in (0, 1) else f"  exit {done.returncode}"),
            flush=True,
        )
        os._exit(0)
    os.waitpid(child, 0)


def forget(cache: Path) -> None:
    """Throw away what came of a range; what was told of blobs and of single sides stays."""
    for folder in (cache / "analyses", cache / "typecheck" / "runs"):
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ("backend", "upstream", "package", "old", "middle", "new"):
        parser.add_argument(name)
    parser.add_argument("--before")
    parser.add_argument("--checkers", action="store_true")
    given = parser.parse_args()
    backend, upstream, package, old, middle, new = (
        given.backend, given.upstream, given.package, given.old, given.middle, given.new
    )  # fmt: skip
    checkers = given.checkers
    with tempfile.TemporaryDirectory() as folder:
        cache, output = Path(folder) / "cache", Path(folder) / "report.json"
        check = [sys.executable, "-m", "syncbot", "check", "--upstream", upstream]
        check += ["--format", "json", "--fail-on", "never", "--output", str(output)]
        check += [] if checkers else ["--engine", "contracts"]
        first_day, second_day = ["--from", old, "--to", middle], ["--from", middle, "--to", new]
        next_day = [*check, "--backend", backend, *second_day]
        measured("cold", [*check, "--backend", backend, *first_day], cache)
        measured("next day", next_day, cache)
        forget(cache)
        measured("no result kept", next_day, cache)
        forget(cache)
        shutil.rmtree(cache / "contracts")
        measured("no contract kept", next_day, cache)
        measured("again", next_day, cache)
        if given.before is not None:
            other = Path(folder) / "other"
            measured("cold, backend before", [*check, "--backend", given.before, *first_day], other)
            measured("both changed", next_day, other)
        git = ["git", "-C", upstream]
        measured("git log --raw", [*git, "log", "--raw", "-z", "-M", f"{middle}..{new}"], cache)
        sources, packed = Path(folder) / "sources", Path(folder) / "sources.tar"
        subprocess.run(
            [*git, "archive", f"--output={packed}", new, f":(glob){package}/**/*.py"],
            check=True,
            stderr=subprocess.DEVNULL,
        )
        with tarfile.open(packed) as archive:
            archive.extractall(sources, filter="data")
        measured("ast.parse, one side", [sys.executable, "-c", _PARSE, str(sources)], cache)
        if find_spec("griffe") is not None:
            measured("griffe, one side", [sys.executable, "-c", _GRIFFE, str(sources), package], cache)
        if (pyrefly := shutil.which("pyrefly")) is not None:
            places = ["--search-path", str(sources), "--search-path", backend]
            measured("pyrefly, one side", [pyrefly, "check", *places, backend], cache)


if __name__ == "__main__":
    main()
