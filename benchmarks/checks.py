"""The findings of each check of the contract engine, its cost, and the labelled breaks that it alone reports.

usage: python benchmarks/checks.py [--all] [--only ID]... [--build DIR] [--record]

Runs the pairs of ``findings.txt``, with ``--all`` every pair of the package index, in one process, without
commits. Prints a table: check, lines of its module, inputs in which it told something, findings (lines of
plugins), visible breaks of ``fresh-plugins.tsv`` that no other check tells as ``breaks``, contracts, seconds
of its finders and judges. What a finder infers first, a later one finds inferred. ``--record`` writes
``checks.tsv`` and the figure of the page of evidence.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path
from typing import Any

from ecosystem import ROOT, Pair, Told
from evidence_page import Figure, record
from findings import Places, inputs, read, trees_of
from fresh_plugins import BATCHES, labels, verdict
from plugin_files import folder_of

from syncbot.contracts import registry
from syncbot.errors import SyncbotError
from syncbot.impact.analysis import compared

_HERE = Path(__file__).parent
_KINDS = ROOT / "syncbot" / "contracts" / "kinds"


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of a check."""

    check: str
    lines: int
    inputs: int
    findings: int
    alone: int
    contracts: int
    seconds: float


@dataclass(slots=True)
class Meter:
    """Seconds and contracts by check, so far."""

    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    contracts: Counter[str] = field(default_factory=Counter)

    def finder(self, function: registry.Finder) -> registry.Finder:
        """A finder that is measured."""
        check = registry.check_of(function)

        def measured(node: Any, context: Any) -> Iterator[Any]:
            begun = time.perf_counter()
            found = list(function(node, context))
            self.seconds[check] += time.perf_counter() - begun
            self.contracts[check] += len(found)
            return iter(found)

        measured.__module__ = function.__module__
        return measured

    def judge(self, function: registry.Judge) -> registry.Judge:
        """A judge that is measured for the check that found the contract."""

        def measured(contract: Any, pair: Any) -> Iterator[Any]:
            begun = time.perf_counter()
            found = list(function(contract, pair))
            self.seconds[contract.check] += time.perf_counter() - begun
            return iter(found)

        return measured


def install(meter: Meter) -> None:
    """Measure every finder and judge of this process."""
    made: dict[Callable[..., Any], registry.Finder] = {}
    for several in registry.finders().values():
        for place, function in enumerate(several):
            if function not in made:
                made[function] = meter.finder(function)
                if function in registry._words:
                    registry._words[made[function]] = registry._words[function]
            several[place] = made[function]
    for contract, judge in list(registry._judges.items()):
        registry._judges[contract] = meter.judge(judge)


def told_by(pair: Pair, places: Places) -> dict[str, list[Told]]:
    """Return the findings of each check on a pair. Raises SyncbotError where it cannot be fetched."""
    found = defaultdict[str, list[Told]](list)
    with trees_of(pair, places) as (trees, old, new):
        for impact in compared(trees, old, new):
            for check in impact.checks:
                found[check] += [
                    Told(impact.verdict, impact.kind, f"{place.file}:{place.line}", impact.message)
                    for place in impact.locations
                ]
    return found


def alone(
    pair: Pair, told: Mapping[str, Sequence[Told]], visible: Iterable[str], build: Path
) -> Counter[str]:
    """The labelled breaks that one check alone tells, by check."""
    folder = folder_of(pair.plugin, pair.version, build)
    found: Counter[str] = Counter()
    for name in visible:
        who = [check for check, said in told.items() if verdict(name, tuple(said), folder) == "breaks"]
        found.update(who if len(who) == 1 else ())
    return found


def main() -> int:
    """Print the table."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", action="append", default=[], metavar="ID")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "ecosystem")
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    places, meter = Places(asked.build.resolve()), Meter()
    install(meter)
    frozen = read((_HERE / "findings.txt").read_text(encoding="utf-8"))
    known = labels_of_all()
    ran, seen, findings, only = 0, Counter[str](), Counter[str](), Counter[str]()
    for id, pair in inputs(()).items():
        wanted = id in asked.only if asked.only else asked.all or id in frozen
        if not wanted or not isinstance(pair, Pair) or ("/" in pair.plugin and not asked.all):
            continue
        try:
            told = told_by(pair, places)
        except SyncbotError as error:
            print(f"not run: {id}: {error}", file=sys.stderr)
            continue
        ran += 1
        seen.update(told.keys())
        findings.update({check: len(said) for check, said in told.items()})
        only += alone(pair, told, known.get(id, ()), places.build)
    rows = [
        Row(
            file.stem, len(file.read_text(encoding="utf-8").splitlines()), seen[file.stem],
            findings[file.stem], only[file.stem], meter.contracts[file.stem],
            round(meter.seconds[file.stem], 1),
        )
        for file in _KINDS.glob("[a-z]*.py")
    ]  # fmt: skip
    rows.sort(key=lambda row: (-row.findings, row.check))
    write(rows, sys.stdout)
    if asked.record:
        with (_HERE / "checks.tsv").open("w", encoding="utf-8") as file:
            write(rows, file)
        silent = [row for row in rows if not row.findings]
        figure = Figure(
            what=f"Checks of the contract engine that tell nothing of {ran} upgrades",
            figure=f"{len(silent)} of {len(rows)}, {sum(row.lines for row in silent)} lines",
            date=datetime.date.today(),
            commit=head(),
            command="python benchmarks/checks.py",
        )
        record("checks", [figure])
    return 0


def head() -> str:
    """The commit of the working tree."""
    command = ["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def labels_of_all() -> dict[str, set[str]]:
    """The visible breaks of each pair, of all batches."""
    found = defaultdict[str, set[str]](set)
    for batch in BATCHES:
        for id, names in labels(_HERE / "fresh-plugins.tsv", batch).items():
            found[id] |= {name for name, how in names.items() if how == "yes"}
    return found


def write(rows: Iterable[Row], file: Any) -> None:
    """Write the table."""
    table = csv.writer(file, delimiter="\t", lineterminator="\n")
    table.writerow(column.name for column in fields(Row))
    table.writerows(astuple(row) for row in rows)


if __name__ == "__main__":
    sys.exit(main())
