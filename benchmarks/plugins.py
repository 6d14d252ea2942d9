"""Run ``syncbot check`` on plugins it was not written for, and count what it finds of what really broke.

usage: python benchmarks/plugins.py --results DIR --repository OWNER/NAME=PATH... [--only ID] [--all-engines]

Records are the rows of ``plugins.tsv`` beside this file: the plugin at the commit before it adapted to a
range of upstream commits, and which of these broke it, by pull request or abbreviated commit. What is said
of each: ``yes`` it can be seen in the sources that something breaks, ``partly`` only with knowledge of a
type that nothing declares or of a path that is taken, ``no`` behaviour, ``tests`` only the plugin's tests
broke. Records whose repositories are not given are left out. Seconds are of the clock, and then of the
processor with all that the run started; peak memory is that of the largest process.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truth import check_out

from syncbot.upstream.git_repository import GitRepository

_START = "import sys; from syncbot.cli import main; sys.exit(main())"
_CLASSES = ("yes", "partly", "no", "tests")


@dataclass(frozen=True, slots=True)
class Record:
    """One row of the table: ``broke`` maps pull requests or commits to how they can be seen."""

    id: str
    plugin: str
    commit: str
    upstream: str
    old: str
    new: str
    broke: Mapping[str, str]


@dataclass
class Tally:
    """Counts over one record, or over all."""

    commits: int = 0
    alerts: int = 0
    breaks: int = 0
    known: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_CLASSES, 0))
    found: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_CLASSES, 0))
    found_breaks: int = 0
    unanalysed: int = 0

    def add(self, other: Tally) -> None:
        """Count another record too."""
        self.commits += other.commits
        self.alerts += other.alerts
        self.breaks += other.breaks
        self.found_breaks += other.found_breaks
        self.unanalysed += other.unanalysed
        for name in _CLASSES:
            self.known[name] += other.known[name]
            self.found[name] += other.found[name]

    def __str__(self) -> str:
        parts = [f"{name} {self.found[name]}/{self.known[name]}" for name in _CLASSES if self.known[name]]
        return (
            f"{self.commits:5} commits  flagged {self.alerts:2}, breaks {self.breaks:2}  "
            f"found {', '.join(parts) or 'nothing to find'} (yes as breaks {self.found_breaks})"
        )


def read_records(table: Path) -> list[Record]:
    """The records of a table; the column ``broke`` holds ``NUMBER=CLASS`` or ``SHA=CLASS``, with commas."""
    with table.open(newline="") as file:
        rows = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t")
        return [
            Record(
                *(row["id"], row["plugin"], row["commit"], row["upstream"], row["from"], row["to"]),
                dict(_pair(each) for each in row["broke"].split(",") if each),
            )
            for row in rows
        ]


def _pair(text: str) -> tuple[str, str]:
    left, _, right = text.partition("=")
    return left, right


def tally(record: Record, report: Mapping[str, Any]) -> tuple[Tally, list[str]]:
    """The counts of one report, and which known breaks it misses."""
    result = Tally(commits=len(report["commits"]), unanalysed=len(report["unanalysed"]))
    sources = [i for i in report["impacts"] if not i["tests_only"]]
    result.alerts = len({i["commit"] for i in sources})
    result.breaks = len({i["commit"] for i in sources if i["verdict"] == "breaks"})
    missed = []
    for name, how in record.broke.items():
        impacts = report["impacts"] if how == "tests" else sources
        hits = [i for i in impacts if str(i["pr"]) == name or i["commit"].startswith(name)]
        result.known[how] += 1
        result.found[how] += bool(hits)
        result.found_breaks += how == "yes" and any(i["verdict"] == "breaks" for i in hits)
        if not hits:
            missed.append(f"{name} ({how})")
    return result, missed


def run(record: Record, repositories: Mapping[str, Path], results: Path, engines: Sequence[str]) -> str:
    """Run one record, keep its report as ``ID.json``; seconds and megabytes in words."""
    checkout = results / "checkouts" / record.id
    with GitRepository(repositories[record.plugin]) as repository:
        check_out(repository, repository.resolve(record.commit), checkout)
    command = [sys.executable, "-c", _START, "check", "--format", "json", "--fail-on", "never", *engines]
    command += ["--upstream", str(repositories[record.upstream]), "--backend", str(checkout.absolute())]
    command += ["--from", record.old, "--to", record.new, "--output", str(results / f"{record.id}.json")]
    outside = results / "elsewhere"
    outside.mkdir(exist_ok=True)
    start = time.perf_counter()
    # In a folder of its own, so that no configuration of another backend is found.
    process = subprocess.Popen([*command], cwd=outside, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    complaint = process.stderr.read().strip()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        print(f"{record.id}: {complaint}", file=sys.stderr)
        (results / f"{record.id}.json").unlink(missing_ok=True)
    clock, processor = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
    return f"{clock:6.1f} s {processor:6.1f} s of processor {usage.ru_maxrss >> 10:5} MB"


def main() -> int:
    """Run the command line; the exit code is 1 where a run failed."""
    parser = argparse.ArgumentParser(description="Measure syncbot on plugins it was not written for.")
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--repository", action="append", default=[], metavar="OWNER/NAME=PATH")
    parser.add_argument("--only", action="append", default=[], metavar="ID")
    parser.add_argument("--all-engines", action="store_true", help="with the type checkers")
    options = parser.parse_args()
    repositories = {n: Path(p).absolute() for n, p in (r.split("=", 1) for r in options.repository)}
    results = options.results.absolute()
    results.mkdir(parents=True, exist_ok=True)
    engines = () if options.all_engines else ("--engine", "contracts")
    total, failed = Tally(), False
    for record in read_records(Path(__file__).with_name("plugins.tsv")):
        if (options.only and record.id not in options.only) or not {record.plugin, record.upstream} <= {
            *repositories
        }:
            continue
        cost = run(record, repositories, results, engines)
        file = results / f"{record.id}.json"
        if not file.exists():
            failed = True
            continue
        counts, missed = tally(record, json.loads(file.read_text()))
        total.add(counts)
        note = f"  missed {', '.join(missed)}" if missed else ""
        print(f"{record.id:<22} {cost}  {counts}{note}", flush=True)
    print(f"{'all':<60} {total}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
