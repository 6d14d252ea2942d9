"""The findings of ``syncbot check`` in projects with a declared window, before and after they adapted.

usage: python benchmarks/window_projects.py FOLDER [--only PROJECT]

``window-projects.tsv`` has the labels. FOLDER/PROJECT-VERSION holds each release as the package index has it,
unpacked (`pip download --no-deps PROJECT==VERSION`). Before: how many of the lines that they adapted are told
as ``breaks``. After: every line that is told as ``breaks`` is wrong, but for those of files in which upstream
really lacks something (``kept``, ``found``). Lines before that nobody labelled are printed, to be read by
hand. Results stay beside the folders, and are not made again.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

LABELS = Path(__file__).parent / "window-projects.tsv"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two releases of a project, and two of upstream; the lines that the first is labelled with."""

    project: str
    before: str
    after: str
    old: str
    new: str
    adapted: frozenset[str]
    kept: frozenset[str]


def main() -> None:
    """Check both releases of each pair, and print what was told."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only")
    asked = parser.parse_args()
    adapted = told = wrong = 0
    for pair in pairs():
        if asked.only not in (None, pair.project):
            continue
        first, last = (
            broken(asked.folder, f"{pair.project}-{version}", pair) for version in (pair.before, pair.after)
        )
        # A line moves with what is written above it: of the later release its file alone is known.
        files = {line.rpartition(":")[0] for line in pair.kept}
        bad = sorted(line for line in last if line.rpartition(":")[0] not in files)
        more = sorted(first - pair.adapted - pair.kept)
        adapted, told = adapted + len(pair.adapted), told + len(first & pair.adapted)
        wrong += len(bad)
        print(
            f"{pair.project} {pair.before}: {len(first & pair.adapted)} of {len(pair.adapted)}"
            f" told; also before: {', '.join(more) or 'nothing'}; after: {', '.join(bad) or 'nothing'}"
        )
    print(f"before: {told} of {adapted} told; after: {wrong} lines, which should be none")


def pairs() -> Iterator[Pair]:
    """The labelled pairs."""
    lines = [line for line in LABELS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    rows = csv.DictReader(lines, delimiter="\t")
    keys = ("project", "before", "after", "from", "to")
    for key, group in groupby(rows, lambda row: tuple(row[name] for name in keys)):
        found = list(group)
        adapted, kept = (
            frozenset(row["place"] for row in found if row["label"] in labels)
            for labels in (("yes",), ("kept", "found"))
        )
        project, before, after, old, new = key
        yield Pair(project, before, after, old, new, adapted, kept)


def broken(folder: Path, release: str, pair: Pair) -> set[str]:
    """The lines of a release that a check tells as broken, tests left out."""
    result = folder / f"{release}.json"
    if not result.exists():
        command = (
            *("check", "--backend", str(folder / release), "--upstream", "vllm", "--by", "releases"),
            *("--from", pair.old, "--to", pair.new, "--format", "json", "--fail-on", "never"),
        )
        subprocess.run([sys.executable, "-m", "syncbot", *command, "--output", str(result)], check=True)
    impacts = json.loads(result.read_text(encoding="utf-8"))["impacts"]
    told = (i for i in impacts if i["verdict"] == "breaks" and not i["tests_only"])
    return {f"{place['file']}:{place['line']}" for i in told for place in i["locations"]}


if __name__ == "__main__":
    main()
