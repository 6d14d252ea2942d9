"""Measure what type checkers add to the contract engine, and what they cost.

usage: python benchmarks/added_by_checkers.py ranges TRUTH --upstream REPO --backend-repository REPO
                                              --results DIR [--every N | --only ID…]
       python benchmarks/added_by_checkers.py batches BATCH… --results DIR [--every N | --only ID…]

Each range of a truth file, or labelled pair of ``fresh-plugins.tsv``, is analysed in a process of its own, by
the contract engine, then by pyrefly and ty, without a plan or a report. ``--every N`` takes each N-th; what
was measured is kept in ``rows.jsonl``. ``lines.tsv`` gets lines outside tests that the checkers tell alone,
or with a worse verdict, to be judged by hand; what was labelled and they alone tell is counted.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ecosystem import Told, configuration_of, read_pairs
from fresh_plugins import labels, verdict
from plugin_files import laid_out
from truth import check_out, read_ranges

from syncbot.config import load
from syncbot.configuration_file import configured_by
from syncbot.impact.agreement import with_types
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.model import Impact
from syncbot.impact.session import backend_of, opened
from syncbot.typecheck.checked_range import run
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import between
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.opening import open_upstream

_HERE = Path(__file__).parent
_WORSE = {"breaks": 0, "at-risk": 1, "drift": 2, "none": 3, "": 4}
_TIERS = {"breaks": {"breaks"}, "any": {"breaks", "at-risk", "drift"}}


@dataclass(frozen=True, slots=True)
class Item:
    """A range or a pair: its plugin, which upstream from where to where, and what is known to break."""

    id: str
    plugin: str
    upstream: str | None
    configuration: str | None
    old: str
    new: str
    broke: tuple[str, ...]


def ranges(truth: Path, upstream: Path, backends: Path, folder: Path) -> Iterator[Item]:
    """The ranges of a truth file; what broke in sources, and can be seen at all, are upstream's commits."""
    known = {record["id"]: record for record in map(json.loads, truth.read_text().splitlines())}
    with GitRepository(backends) as repository:
        for item in read_ranges(truth):
            plugin = folder / "checkouts" / item.backend_parent[:12]
            check_out(repository, item.backend_parent, plugin)
            broke = [b["sha"] for b in known[item.id]["breaks"] if b["in_source"] and b["static"] != "no"]
            ends = item.upstream_old, item.upstream_new
            yield Item(item.id, str(plugin), str(upstream), None, *ends, tuple(broke))


def pairs(batches: Sequence[str], folder: Path) -> Iterator[Item]:
    """The labelled pairs of some batches; what broke, and can be seen at all, are names."""
    known = {id: row for b in batches for id, row in labels(_HERE / "fresh-plugins.tsv", b).items()}
    tables = (_HERE / "ecosystem.tsv", _HERE / "fresh-pairs.tsv")
    for pair in (pair for table in tables for pair in read_pairs(table) if pair.id in known):
        plugin = laid_out(pair.plugin, pair.version, pair.sha256, folder)
        file = folder / f"{pair.id}.toml"
        file.write_text(configuration_of(pair), encoding="utf-8")
        broke = tuple(name for name, seen in known[pair.id].items() if seen != "no")
        yield Item(pair.id, str(plugin), None, str(file), pair.old, pair.new, broke)


def one(item: Item) -> dict[str, object]:
    """Return the findings of both, and the seconds of processor that each took, with all that it started."""
    with configured_by(Path(item.configuration) if item.configuration is not None else None):
        config = load(Path(item.plugin))
    own = backend_of(config)
    with open_upstream(config, item.upstream, cache_dir(), [item.old, item.new]) as followed:
        span = between(followed.repository, item.old, item.new)
        begun = processor()
        with opened(config, followed, own, cache_dir()) as trees:
            plain = analyse(trees, span, AnalysisCache(cache_dir() / "analyses"))
        middle = processor()
        engines = ("pyrefly", "ty")
        typed = run(own, followed.repository, span, cache_dir(), None, engines, packages=followed.packages)
        full = with_types(plain, typed.impacts, own)
    end = processor()
    before, after = lines(plain.impacts), lines(full.impacts)
    more = [w for w, t in after.items() if _WORSE[t[0]] < _WORSE[before.get(w, ("",))[0]]]
    row: dict[str, object] = {
        "id": item.id,
        "contracts": round(middle - begun, 1),
        "checkers": round(end - middle, 1),
        "unfinished": [engine.name for engine in typed.unfinished],
        "lines": {tier: sum(t[0] in among for t in before.values()) for tier, among in _TIERS.items()},
        "more": [[*after[w], before.get(w, ("",))[0], w] for w in sorted(more)],
        "labelled": len(item.broke),
    }
    for tier, among in _TIERS.items():
        ours, theirs = (found(item, impacts, among) for impacts in (plain.impacts, full.impacts))
        row[tier] = {"by_contracts": len(ours), "by_checkers_alone": sorted(theirs - ours)}
    return row


def processor() -> float:
    """Seconds of processor of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def lines(impacts: Iterable[Impact]) -> dict[str, tuple[str, str, str]]:
    """Each told line outside tests, with its worst verdict, who says it and what."""
    told: dict[str, tuple[str, str, str]] = {}
    for impact in impacts:
        for place in impact.locations if not impact.tests_only else ():
            where = f"{place.file}:{place.line}"
            if _WORSE[impact.verdict] < _WORSE[told.get(where, ("",))[0]]:
                told[where] = (str(impact.verdict), "+".join(impact.engines), impact.message)
    return told


def found(item: Item, impacts: Sequence[Impact], among: set[str]) -> set[str]:
    """Return the known breaks that are reported with one of these verdicts."""
    guilty = {impact.commit for impact in impacts if impact.verdict in among}
    told = tuple(
        Told(str(impact.verdict), str(impact.kind), f"{place.file}:{place.line}", impact.message)
        for impact in impacts
        for place in impact.locations
    )
    return {b for b in item.broke if b in guilty or verdict(b, told, Path(item.plugin)) in among}


def measured(item: Item, folder: Path) -> dict[str, Any]:
    """Return the measurements of an input, made in a process of its own."""
    command = [sys.executable, str(Path(__file__).absolute()), "one", json.dumps(asdict(item))]
    environment = {**os.environ, "SYNCBOT_CACHE": str(folder / "cache")}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    row: dict[str, Any] = json.loads(done.stdout)
    return row


def main() -> int:
    """Measure what was asked for, and print a row each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, dest="what")
    commands.add_parser("one").add_argument("item")
    of_ranges = commands.add_parser("ranges")
    of_ranges.add_argument("truth", type=Path)
    of_ranges.add_argument("--upstream", type=Path, required=True)
    of_ranges.add_argument("--backend-repository", type=Path, required=True)
    of_batches = commands.add_parser("batches")
    of_batches.add_argument("batch", nargs="+")
    for command in (of_ranges, of_batches):
        command.add_argument("--results", type=Path, required=True)
        command.add_argument("--every", type=int, default=1)
        command.add_argument("--only", action="append", default=[], metavar="ID")
    asked = parser.parse_args()
    if asked.what == "one":
        item = json.loads(asked.item)
        print(json.dumps(one(Item(**{**item, "broke": tuple(item["broke"])}))))
        return 0
    folder = asked.results.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "rows.jsonl"
    known = {r["id"]: r for r in map(json.loads, kept.read_text().splitlines())} if kept.exists() else {}
    if asked.what == "ranges":
        items = ranges(asked.truth, asked.upstream.absolute(), asked.backend_repository, folder)
    else:
        items = pairs(asked.batch, folder)
    rows = []
    for number, item in enumerate(items, 1):
        if number % asked.every or (asked.only and item.id not in asked.only):
            continue
        row = known.get(item.id) or measured(item, folder)
        if item.id not in known:
            with kept.open("a") as file:
                file.write(json.dumps(row) + "\n")
        rows.append(row)
        print(json.dumps({**row, "more": len(row["more"])}), flush=True)
    with (folder / "lines.tsv").open("w") as file:
        file.writelines("\t".join([row["id"], *told]) + "\n" for row in rows for told in row["more"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
