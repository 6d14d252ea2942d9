"""Run every batch of labelled breaks with one state of syncbot, and compare with the last run of all.

usage: python benchmarks/fresh_all.py [--commit C] [--only BATCH]... [--write]

Prints a row for each batch of ``fresh-plugins.tsv``, then the visible breaks that are told worse or
better than ``fresh-missed.tsv`` has it. That table holds the commit of the last run of each batch, the
pairs that gave no answer, and each visible break that was not told as ``breaks``, with its verdict;
``--write`` writes the rows of these batches anew. Pairs whose plugin cannot be fetched, or that give no
answer, are named and not counted. The exit code is 1 where a break is told worse. What a state finds of a
pair is kept as in ``ecosystem.py``.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ecosystem import ROOT, Outcome, Pair, outcomes, read_pairs, state_of
from fresh_plugins import BATCHES, labels, verdict
from plugin_files import folder_of

from syncbot.atomic import write_file

_HERE = Path(__file__).parent
_MISSED = _HERE / "fresh-missed.tsv"
_HEAD = "batch\tid\tname\tverdict\n"
_RUN = "*"
_ORDER = ("breaks", "at-risk", "drift", "")


@dataclass(frozen=True, slots=True, order=True)
class Label:
    """A visible break of a pair, as it is labelled."""

    batch: str
    id: str
    name: str


def told(batch: str, pairs: Iterable[Pair], found: Mapping[str, Outcome], build: Path) -> dict[Label, str]:
    """The verdict on each visible break of the pairs of a batch that could be run."""
    known = labels(_HERE / "fresh-plugins.tsv", batch)
    return {
        Label(batch, pair.id, name): verdict(
            name, found[pair.id].told, folder_of(pair.plugin, pair.version, build)
        )
        for pair in pairs
        if pair.id in known and not found[pair.id].failure
        for name, seen in known[pair.id].items()
        if seen == "yes"
    }


def missed(table: Path) -> dict[Label, str]:
    """The verdict of the last run on each visible break that it did not tell as ``breaks``; under ``*`` the
    commit of each batch that was run, and which of its pairs gave no answer."""
    lines = table.read_text(encoding="utf-8").splitlines() if table.exists() else []
    rows = csv.DictReader(lines, delimiter="\t")
    return {Label(row["batch"], row["id"], row["name"]): row["verdict"] for row in rows}


def compared(now: Mapping[Label, str], before: Mapping[Label, str]) -> Iterator[tuple[bool, str]]:
    """Whether a break is told worse, and a line that says so, for each of another verdict than before, in the
    batches that were run."""
    for label, said in sorted(now.items()):
        if Label(label.batch, _RUN, _RUN) not in before or Label(label.batch, label.id, _RUN) in before:
            continue
        was = before.get(label, "breaks")
        if said != was:
            line = f"{label.batch} {label.id} {label.name}: {was or 'nothing'}, now {said or 'nothing'}"
            yield _ORDER.index(said) > _ORDER.index(was), line


def kept(before: Mapping[Label, str], now: Mapping[Label, str], failed: Iterable[Label]) -> dict[Label, str]:
    """Return the table after a run: the results of the pairs that were run, the earlier ones of the others,
    and which of these never gave an answer."""
    ran = {(label.batch, label.id) for label in now}
    others = {label: said for label, said in before.items() if (label.batch, label.id) not in ran}
    known = {(label.batch, label.id) for label in others}
    silent = {label: "not run" for label in failed if (label.batch, label.id) not in known}
    missing = {label: said for label, said in now.items() if said != "breaks"}
    return {**others, **silent, **missing}


def table(rows: Mapping[Label, str], commit: str, batches: Iterable[str]) -> str:
    """The text of the table where these batches were run at a commit."""
    runs = {Label(batch, _RUN, _RUN): commit for batch in batches}
    lines = (f"{k.batch}\t{k.id}\t{k.name}\t{v}\n" for k, v in sorted({**rows, **runs}.items()))
    return _HEAD + "".join(lines)


def main() -> int:
    """Run the batches and print what became of each."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--commit", help="state of syncbot; default: the working tree")
    parser.add_argument("--only", action="append", choices=BATCHES, metavar="BATCH")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "ecosystem")
    asked = parser.parse_args()
    build = asked.build.resolve()
    rows = [pair for name in ("ecosystem.tsv", "fresh-pairs.tsv") for pair in read_pairs(_HERE / name)]
    state = state_of(asked.commit, build)
    before = missed(_MISSED)
    now: dict[Label, str] = {}
    failed: dict[Label, str] = {}
    for batch in asked.only or BATCHES:
        known = labels(_HERE / "fresh-plugins.tsv", batch)
        pairs = [pair for pair in rows if pair.id in known]
        found = outcomes(pairs, state, build, os.cpu_count() or 1)
        said = told(batch, pairs, found, build)
        now |= said
        failed |= {Label(batch, p.id, _RUN): found[p.id].failure for p in pairs if found[p.id].failure}
        ran = sum(not found[pair.id].failure for pair in pairs)
        breaks, silent = (sum(v == wanted for v in said.values()) for wanted in ("breaks", ""))
        print(
            f"{batch}: {breaks} of {len(said)} as breaks, {len(said) - silent} with any verdict; "
            f"{ran} of {len(pairs)} pairs",
            flush=True,
        )
    changed = [*compared(now, before)]
    for worse, line in changed:
        print(f"{'worse' if worse else 'better'}: {line}")
    print("".join(f"not run: {label.id}: {why}\n" for label, why in failed.items()), end="")
    if asked.write:
        commit = state.folder.name[:12] if asked.commit else state.name
        write_file(_MISSED, table(kept(before, now, failed), commit, asked.only or BATCHES).encode())
    return int(any(worse for worse, _ in changed))


if __name__ == "__main__":
    sys.exit(main())
