"""Hold what reports say against rows that were judged by hand.

usage: python benchmarks/calibration.py RESULTS_DIR TABLE...

RESULTS_DIR holds the reports of ``truth.py run``, one ``ID.json`` a range; the tables are those of
``draw.py`` with the judgement filled in. Prints how many of the judged rows are still reported with the
verdict ``breaks``, how many of these are right by the confidence that is stated now, the wrong ones that are
still reported, and the right ones that are not.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.errors import SyncbotError, UsageError

_STEPS = (0.95, 0.9, 0.8, 0.0)


@dataclass(frozen=True, slots=True)
class Judged:
    """A row that was judged: its range, the impact, what it is about, and whether it was right."""

    range: str
    id: str
    commit: str
    symbol: str
    kind: str
    right: bool


def read_judged(tables: Sequence[Path]) -> list[Judged]:
    """The rows of some tables, each impact once; the last table that has it counts.

    Raises UsageError if one cannot be read.
    """
    found: dict[tuple[str, str], Judged] = {}
    for table in tables:
        try:
            with table.open(newline="") as file:
                for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                    values = {name: row[name] for name in ("range", "id", "commit", "symbol", "kind")}
                    found[row["id"], row["commit"]] = Judged(**values, right=row["judgement"] == "right")
        except (OSError, KeyError) as error:
            raise UsageError(f"{table}: no table of judged rows ({error!r})") from None
    return list(found.values())


def read_reported(results: Path) -> tuple[set[str], dict[tuple[str, str], float]]:
    """The ranges that have a report in a folder, and the confidence of each impact that it says breaks.

    Raises UsageError if a report cannot be read.
    """
    reported: dict[tuple[str, str], float] = {}
    ranges = set[str]()
    for path in sorted(results.glob("*.json")):
        ranges.add(path.stem)
        try:
            for impact in json.loads(path.read_text())["impacts"]:
                if impact["verdict"] == "breaks" and not impact["tests_only"]:
                    reported.setdefault((impact["id"], impact["commit"]), impact["confidence"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path}: not a report of syncbot check --format json ({error!r})") from None
    if not ranges:
        raise UsageError(f"{results}: no reports (*.json); name the --results folder of truth.py run")
    return ranges, reported


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(description="Hold reports against rows judged by hand.")
    parser.add_argument("results", type=Path, help="folder with the reports, e.g. build/truth")
    parser.add_argument("tables", type=Path, nargs="+", help="judged rows, e.g. benchmarks/precision*.tsv")
    options = parser.parse_args(arguments)
    try:
        ranges, reported = read_reported(options.results)
        rows = [row for row in read_judged(options.tables) if row.range in ranges]
    except SyncbotError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print("\n".join(_table(rows, reported)))
    return 0


def _table(rows: Sequence[Judged], reported: dict[tuple[str, str], float]) -> list[str]:
    still = [(row, reported[row.id, row.commit]) for row in rows if (row.id, row.commit) in reported]
    lines = [
        f"{len(rows)} judged, {len(still)} still reported as breaks, {sum(r.right for r, _ in still)} right"
    ]
    lines += ["", "| stated confidence | reported | right |", "|---|---|---|"]
    above = 1.01
    for step in _STEPS:
        here = [row.right for row, confidence in still if step <= confidence < above]
        lines.append(f"| {step:.2f} or more, below {above:.2f} | {len(here)} | {sum(here)} |")
        above = step
    lines += ["", *(f"wrong, {confidence:.2f}: {_shown(row)}" for row, confidence in still if not row.right)]
    gone = [row for row in rows if row.right and (row.id, row.commit) not in reported]
    return [*lines, *(f"right, not under that id any more: {_shown(row)}" for row in gone)]


def _shown(row: Judged) -> str:
    return f"{row.range} {row.id} {row.kind} {row.symbol}"


if __name__ == "__main__":
    sys.exit(main())
