"""Draw impacts at random from a folder of reports, for judging them by hand.

usage: python benchmarks/draw.py RESULTS_DIR [--seed 20261121] [--count 100] [--verdict breaks]
                                 [--exclude JUDGED]...

RESULTS_DIR holds the reports of ``truth.py run``, one ``ID.json`` a range. Impacts on tests alone are left
out, and one that several ranges report counts once, with the first of them. Rows of the tables given with
``--exclude``, as an earlier run of this script made them, are not drawn again. The rows go to standard output
with the last two columns empty: the judgement and its reason.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from syncbot.errors import SyncbotError, UsageError


@dataclass(frozen=True, slots=True)
class Row:
    """One impact as it goes into the table."""

    range: str
    id: str
    commit: str
    pr: int | None
    symbol: str
    kind: str
    confidence: float
    engines: str
    judgement: str = ""
    reason: str = ""


def read_impacts(results: Path, verdict: str) -> list[Row]:
    """The distinct impacts of a verdict in all reports of a folder, in an order that does not depend on
    the order of reading.

    Raises UsageError if the folder has no reports or one of them cannot be read.
    """
    rows: dict[tuple[str, str, str, str], Row] = {}
    reports = sorted(results.glob("*.json"))
    if not reports:
        raise UsageError(f"{results}: no reports (*.json); name the --results folder of truth.py run")
    for path in reports:
        for row in _rows(path, verdict):
            rows.setdefault((row.commit, row.symbol, row.kind, row.id), row)
    return [rows[key] for key in sorted(rows)]


def draw(rows: Sequence[Row], seed: int, count: int) -> list[Row]:
    """``count`` of the rows, the same for the same seed. Raises UsageError if there are not so many."""
    if count > len(rows):
        raise UsageError(f"--count {count}: the reports have {len(rows)} such impacts")
    return random.Random(seed).sample(rows, count)


def judged(table: Path) -> set[tuple[str, str]]:
    """The id and the commit of each row of a table of this script. Raises UsageError if it cannot be read."""
    try:
        with table.open(newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            return {(row["id"], row["commit"]) for row in rows}
    except (OSError, KeyError) as error:
        raise UsageError(f"{table}: no table of judged rows ({error!r})") from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(description="Draw impacts at random, for judging them by hand.")
    parser.add_argument("results", type=Path, help="folder with the reports, e.g. build/truth")
    parser.add_argument("--seed", type=int, default=20261121, help="of the random numbers, e.g. 7")
    parser.add_argument("--count", type=int, default=100, help="how many to draw, e.g. 50")
    parser.add_argument("--verdict", default="breaks", help="which verdict, e.g. at-risk")
    parser.add_argument(
        "--exclude", type=Path, action="append", default=[], help="judged rows, e.g. benchmarks/precision.tsv"
    )
    options = parser.parse_args(arguments)
    try:
        known = set[tuple[str, str]]().union(*map(judged, options.exclude))
        rows = [r for r in read_impacts(options.results, options.verdict) if (r.id, r.commit) not in known]
        drawn = draw(rows, options.seed, options.count)
    except SyncbotError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    table = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE)
    names = [field.name for field in fields(Row)]
    table.writerow(names)
    table.writerows([getattr(row, name) for name in names] for row in drawn)
    return 0


def _rows(path: Path, verdict: str) -> list[Row]:
    names = ("id", "commit", "pr", "symbol", "kind", "confidence")
    try:
        return [
            Row(
                range=path.stem, engines="+".join(impact["engines"]), **{name: impact[name] for name in names}
            )
            for impact in json.loads(path.read_text())["impacts"]
            if impact["verdict"] == verdict and not impact["tests_only"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path}: not a report of syncbot check --format json ({error!r})") from None


if __name__ == "__main__":
    sys.exit(main())
