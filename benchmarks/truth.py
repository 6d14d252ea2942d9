"""Run ``syncbot check`` over breaks that really happened, and score it.

usage: python benchmarks/truth.py run TRUTH --upstream REPO --backend-repository REPO --results DIR
                                      [--scorer SCRIPT] [--jobs 2] [--only ID]... [--typecheck-alone]
       python benchmarks/truth.py typecheck …        one range with the type-checking engine alone

Each line of TRUTH is one range: ``id``, ``backend_parent`` (the commit of the backend to check out),
``upstream_old`` and ``upstream_new``. A range whose result exists is not run again. Seconds and peak
memory (all processes of a run together) go to ``timings.jsonl`` beside the results.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from syncbot.contracts.source_files import read_backend
from syncbot.errors import SyncbotError
from syncbot.typecheck.checked_range import run as typecheck
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import between
from syncbot.upstream.git_repository import GitRepository

# What an analysis reads of a backend. A partial mirror may lack everything else.
_SUFFIXES = (".py", ".pyi", ".toml", ".cfg", "py.typed")
_REGULAR = ("100644", "100755")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Range:
    """One record of the truth file, as far as a run needs it."""

    id: str
    backend_parent: str
    upstream_old: str
    upstream_new: str


@dataclass(frozen=True, slots=True)
class Timing:
    """The cost of a run."""

    id: str
    seconds: float
    megabytes: int
    exit_code: int


def read_ranges(truth: Path) -> list[Range]:
    """The ranges of a truth file."""
    records = [json.loads(line) for line in truth.read_text().splitlines() if line.strip()]
    return [Range(**{name: record[name] for name in Range.__slots__}) for record in records]


def check_out(repository: GitRepository, commit: str, folder: Path) -> None:
    """Write the sources of the backend at ``commit`` into ``folder``, unless that was done before."""
    done = folder / ".checked-out"
    if done.exists():
        return
    entries = [
        entry
        for path, entry in repository.tree(commit).items()
        if path.endswith(_SUFFIXES) and entry.mode in _REGULAR and ".." not in path.split("/")
    ]
    for entry, (_, content) in zip(entries, repository.blobs([e.blob for e in entries]), strict=True):
        target = folder / entry.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    done.touch()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.handler(options))
    except SyncbotError as error:
        print(error, file=sys.stderr)
        return error.exit_code


def _run_all(options: argparse.Namespace) -> int:
    results = options.results.absolute()
    results.mkdir(parents=True, exist_ok=True)
    ranges = [r for r in read_ranges(options.truth) if not options.only or r.id in options.only]
    checkouts = results / "checkouts"
    with GitRepository(options.backend_repository) as repository:
        for item in ranges:
            check_out(repository, item.backend_parent, checkouts / item.backend_parent[:12])
    wanted = [r for r in ranges if not _is_complete(results / f"{r.id}.json")]
    command = [sys.executable, str(Path(__file__).absolute()), "typecheck"]
    if not options.typecheck_alone:
        start = "import sys; from syncbot.cli import main; sys.exit(main())"
        command = [sys.executable, "-c", start, "check", "--format", "json", "--fail-on", "never"]

    def one(item: Range) -> Timing:
        backend = checkouts / item.backend_parent[:12]
        fresh = results / f"{item.id}.json.part"
        line = [*command, "--upstream", str(options.upstream.absolute()), "--from", item.upstream_old]
        line += ["--to", item.upstream_new, "--backend", str(backend), "--output", str(fresh)]
        timing = _measured(item.id, line, results / f"{item.id}.log")
        if timing.exit_code == 0 and fresh.exists():
            fresh.replace(results / f"{item.id}.json")
        print(
            f"{item.id:<22} {timing.seconds:7.1f} s {timing.megabytes:6} MB  exit {timing.exit_code}",
            flush=True,
        )
        return timing

    with ThreadPoolExecutor(options.jobs) as pool:
        timings = list(pool.map(one, wanted))
    with (results / "timings.jsonl").open("a") as file:
        file.writelines(json.dumps(asdict(timing)) + "\n" for timing in timings)
    if options.scorer is not None:
        subprocess.run([sys.executable, str(options.scorer), str(options.truth), str(results)], check=True)
    return 1 if any(timing.exit_code for timing in timings) else 0


def _typecheck(options: argparse.Namespace) -> int:
    """One range with one engine, in the shape of ``syncbot check --format json``."""
    backend = options.backend.absolute()
    tests = tuple(name for name in ("tests",) if (backend / name).is_dir())
    with GitRepository(options.upstream) as repository:
        span = between(repository, options.old, options.new)
        result = typecheck(read_backend(backend, (), tests), repository, span, cache_dir())
    for engine in result.unfinished:
        print(f"{engine.name}: {engine.reason}", file=sys.stderr)
    impacts = [
        {
            "id": i.id,
            "commit": i.commit,
            "pr": i.pr,
            "symbol": i.symbol,
            "kind": i.kind,
            "verdict": i.verdict.value,
            "confidence": i.confidence,
            "engines": list(i.engines),
            "tests_only": i.tests_only,
            "message": i.message,
            "locations": [asdict(place) for place in i.locations],
        }
        for i in result.impacts
    ]
    report = {
        "commits": [{"sha": c.sha, "pr": c.pr, "subject": c.subject} for c in span.commits],
        "impacts": impacts,
    }
    options.output.write_text(json.dumps(report, indent=1))
    return 0


def _is_complete(path: Path) -> bool:
    try:
        return "impacts" in json.loads(path.read_text())
    except (OSError, ValueError):
        return False


def _measured(name: str, line: Sequence[str], log: Path) -> Timing:
    start = time.perf_counter()
    with log.open("wb") as output:
        process = subprocess.Popen(line, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        peak = 0
        ended = threading.Event()

        def watch() -> None:
            nonlocal peak
            while not ended.wait(0.1):
                peak = max(peak, _resident(process.pid))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            code = process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGTERM)
            raise
        finally:
            ended.set()
            watcher.join()
    return Timing(name, round(time.perf_counter() - start, 2), peak // 2**20, code)


def _resident(session: int) -> int:
    """Bytes of memory that the processes of a session hold together."""
    total = 0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == session:
                    total += int(fields[21]) * _PAGE
            except (OSError, IndexError, ValueError):
                continue
    return total


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="truth.py", description="Score syncbot on breaks that really happened."
    )
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("run", help="run all ranges of a truth file")
    run.add_argument("truth", type=Path)
    run.add_argument("--upstream", type=Path, required=True, help="git repository of the upstream")
    run.add_argument("--backend-repository", type=Path, required=True, help="git repository of the backend")
    run.add_argument("--results", type=Path, required=True, help="folder for results, checkouts and timings")
    run.add_argument("--scorer", type=Path, help="script that is called with TRUTH and the results folder")
    run.add_argument("--jobs", type=int, default=2)
    run.add_argument("--only", action="append", default=[], metavar="ID")
    run.add_argument("--typecheck-alone", action="store_true", help="leave all other engines out")
    run.set_defaults(handler=_run_all)
    one = commands.add_parser("typecheck", help="one range with the type-checking engine alone")
    one.add_argument("--upstream", type=Path, required=True)
    one.add_argument("--from", dest="old", required=True)
    one.add_argument("--to", dest="new", required=True)
    one.add_argument("--backend", type=Path, required=True)
    one.add_argument("--output", type=Path, required=True)
    one.set_defaults(handler=_typecheck)
    return parser


if __name__ == "__main__":
    sys.exit(main())
