"""Count what syncbot finds of breaks that were labelled before it saw them.

usage: python benchmarks/fresh_plugins.py first|second|…|twenty-ninth|ascend|ascend-second [--commit C]

Rows of ``fresh-plugins.tsv`` name pairs of ``ecosystem.tsv`` or ``fresh-pairs.tsv`` and what broke in them. A
break is found where a finding on the plugin's own line names it, or says that the module it comes from is
gone. Every ``breaks`` is printed, to be judged by hand.
"""

from __future__ import annotations

import argparse
import ast
import csv
import os
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path

from ecosystem import ROOT, Told, outcomes, read_pairs, state_of
from plugin_files import folder_of

_HERE = Path(__file__).parent
#: The batches, in the order in which they were labelled.
BATCHES = [
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth"),
    *("seventeenth", "eighteenth", "nineteenth", "twentieth", "twenty-first"),
    *("twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth"),
    # Upgrades of plugins that were looked at on others of theirs.
    "twenty-seventh",
    "twenty-eighth",
    "twenty-ninth",
    # Releases of the plugin that the engine was made with: labelled before they were run, but not fresh.
    "ascend",
    "ascend-second",
]


def labels(table: Path, batch: str) -> dict[str, dict[str, str]]:
    """Return the names that broke in each pair of a batch, each with how it can be seen."""
    lines = (line for line in table.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    rows = csv.DictReader(lines, delimiter="\t")
    return {
        row["id"]: dict(part.split("=") for part in row["broke"].split(",") if part != "-")
        for row in rows
        if row["batch"] == batch
    }


def verdict(name: str, told: tuple[Told, ...], plugin: Path) -> str:
    """The worst verdict of the findings that name what broke, empty where none does."""
    verdicts = {
        t.verdict
        for t in told
        if re.search(rf"\b{re.escape(name)}\b", t.message) or name in lost_with_module(t, plugin)
    }
    return next((v for v in ("breaks", "at-risk", "drift") if v in verdicts), min(verdicts, default=""))


def lost_with_module(told: Told, plugin: Path) -> set[str]:
    """The names that the import in a told line takes from a module that is said to be gone there."""
    file, _, line = told.place.rpartition(":")
    gone = told.message.partition(" no longer exists")[0]
    if gone == told.message:
        return set()
    return {
        alias.name
        for node in _imports(plugin / file)
        if node.lineno == int(line) and f"{node.module}.".startswith(f"{gone}.")
        for alias in node.names
    }


@cache
def _imports(path: Path) -> tuple[ast.ImportFrom, ...]:
    """The ``from … import …`` statements of a file."""
    return tuple(n for n in ast.walk(ast.parse(path.read_bytes())) if isinstance(n, ast.ImportFrom))


def main() -> int:
    """Print a row for each pair, each `breaks`, and the counts."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("batch", choices=BATCHES)
    parser.add_argument("--commit", help="state of syncbot; default: the working tree")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "ecosystem")
    asked = parser.parse_args()
    build = asked.build.resolve()
    known = labels(_HERE / "fresh-plugins.tsv", asked.batch)
    tables = (_HERE / "ecosystem.tsv", _HERE / "fresh-pairs.tsv")
    pairs = [pair for table in tables for pair in read_pairs(table) if pair.id in known]
    found = outcomes(pairs, state_of(asked.commit, build), build, os.cpu_count() or 1)
    counts: Counter[tuple[str, str]] = Counter()
    for pair in pairs:
        result = found[pair.id]
        plugin = folder_of(pair.plugin, pair.version, build)
        said = {name: verdict(name, result.told, plugin) for name in known[pair.id]}
        counts.update((known[pair.id][name], verdict_) for name, verdict_ in said.items())
        breaks = [t for t in result.told if t.verdict == "breaks"]
        shown = ", ".join(f"{name} ({known[pair.id][name]}): {v or 'nothing'}" for name, v in said.items())
        counted = f"{len(breaks)} breaks, {len(result.told)} in all; {result.seconds} s"
        print(f"{pair.id}: {shown or '-'}; {counted}")
        print("".join(f"    {t.place} {t.message}\n" for t in breaks), end="")
        if result.failure:
            print(f"    FAILED {result.failure}")
    for (seen, said_), number in sorted(counts.items()):
        print(f"{seen}: {said_ or 'nothing'} {number}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
