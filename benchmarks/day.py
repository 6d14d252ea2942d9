"""Measures what a day's commits cost: cold, the next day, and what else one may start from.

usage: python benchmarks/day.py BACKEND UPSTREAM PACKAGE OLD MIDDLE NEW [--checkers]

BACKEND is a folder with a backend, UPSTREAM a git repository of PACKAGE. OLD..MIDDLE is one day and
MIDDLE..NEW the next, such as ``main~100 main~50 main``. One line a run, with the seconds of the clock and of
the processor and the largest resident size of one process:

- cold: the first day from an empty cache;
- next day: the second day with the cache that the first one left, as a nightly run finds it;
- no result kept: the second day with all symbol tables and contracts, but not its own result;
- new backend: the same when the backend has changed as well, so that no contract is kept;
- again: the second day once more.

With ``--checkers`` the installed type checkers run too; what they said of one side is kept like tables, what
came of both is thrown away with the result. Python's bytecode is kept, as it is of an installed program.
Last, other programs on the same sources: git telling the second day's changes, Python parsing the files of
NEW, and griffe and pyrefly where they are installed.
"""

from __future__ import annotations

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
    checkers = "--checkers" in sys.argv
    arguments = [a for a in sys.argv[1:] if a != "--checkers"]
    if len(arguments) != 6:
        sys.exit(__doc__)
    backend, upstream, package, old, middle, new = arguments
    with tempfile.TemporaryDirectory() as folder:
        cache, output = Path(folder) / "cache", Path(folder) / "report.json"
        check = [sys.executable, "-m", "syncbot", "check", "--backend", backend, "--upstream", upstream]
        check += ["--format", "json", "--fail-on", "never", "--output", str(output)]
        check += [] if checkers else ["--engine", "contracts"]
        next_day = [*check, "--from", middle, "--to", new]
        measured("cold", [*check, "--from", old, "--to", middle], cache)
        measured("next day", next_day, cache)
        forget(cache)
        measured("no result kept", next_day, cache)
        forget(cache)
        shutil.rmtree(cache / "contracts")
        measured("new backend", next_day, cache)
        measured("again", next_day, cache)
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
