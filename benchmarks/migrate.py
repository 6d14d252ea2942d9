"""Measure ``syncbot migrate`` on upgrades that really happened.

usage: python benchmarks/migrate.py TRUTH --upstream REPO --backend-repository REPO --results DIR
                                    [--reports DIR] [--judged TSV]... [--only ID]... [--jobs 1]
                                    [--checkers nowhere|breaks|everywhere]

For each range of TRUTH (see truth.py) the backend is taken as it was just before its maintainers adapted
it. Counted are the impacts that break its sources: how many get a rewrite, for how many the static check is
sound afterwards, what became worse, and whether the rewritten files compile. ``maintainers`` compares with
the real adaptation: of the lines that are rewritten, how many it touched as well, and of the names that a
rewrite introduces, how many its own new lines have. ``--reports`` holds JSON reports of ``syncbot check``
over the same ranges, ID.json each; without it every range is analysed first. ``--judged`` names tables of
judgements read by hand (precision*.tsv): ``judged`` then has, by judgement, how many of these impacts were
rewritten. One in a range that nobody judged takes the judgement of another. One JSON file a range and
``summary.json`` are written to the results folder; a range whose file exists is not run again.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from truth import Range, check_out, read_ranges

from syncbot import config as configuration
from syncbot.contracts.sources import Backend
from syncbot.errors import SyncbotError
from syncbot.impact.agreement import with_types
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.model import Impact
from syncbot.impact.session import backend_of, opened
from syncbot.planning.judged_proof import remaining, worse
from syncbot.planning.plan import Plan, plan
from syncbot.planning.type_checker_proof import type_checker
from syncbot.report.from_json import parse
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import between
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.opening import open_upstream

_COUNTS = ("breaks", "rewritten", "sound", "on_the_word_of_a_type_checker", "worse", "files")
_NOWHERE, _FINDING, _EVERYWHERE = "nowhere", "breaks", "everywhere"
_MOVED = ("symbol-moved", "module-moved", "symbol-renamed", "attribute-renamed")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w+")


@dataclass(frozen=True, slots=True)
class Job:
    """One range and where its things are."""

    item: Range
    backend_commit: str
    upstream: Path
    backend_repository: Path
    results: Path
    reports: Path | None
    checkers: str


def run(job: Job) -> dict[str, Any]:
    """Migrate the backend of one range in memory; the figures."""
    start = time.perf_counter()
    root = job.results / "checkouts" / job.item.backend_parent[:12]
    config = configuration.load(root)
    own = backend_of(config)
    with (
        open_upstream(config, str(job.upstream), cache_dir()) as upstream,
        opened(config, upstream, own, cache_dir()) as trees,
    ):
        span = between(upstream.repository, job.item.upstream_old, job.item.upstream_new)
        checker = type_checker(
            config, upstream, span, cache_dir(), engines=() if job.checkers == _NOWHERE else None
        )
        if job.reports is not None:
            impacts: Sequence[Impact] = _reported(job.reports / f"{job.item.id}.json")
        else:
            analysis = analyse(trees, span, AnalysisCache(cache_dir() / "analyses"))
            impacts = analysis.impacts
            if checker is not None:
                impacts = with_types(analysis, checker(own), own).impacts
        done = plan(trees, span.old, span.new, impacts, checker if job.checkers == _EVERYWHERE else None)
    with GitRepository(job.backend_repository) as repository:
        theirs = _adaptation(repository, job, done.changes)
    figures = _figures(job, own, done, theirs)
    figures["seconds"] = round(time.perf_counter() - start, 1)
    (job.results / f"{job.item.id}.json").write_text(json.dumps(figures, indent=1, sort_keys=True))
    return figures


def _figures(job: Job, own: Backend, done: Plan, theirs: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    mended = [m for m in done.rewritten if not m.impact.tests_only]
    left = [m for m in done.unwritten if not m.impact.tests_only]
    unsound = [m.impact.id for m in mended if remaining(m.impact, done.after)]
    on_their_word = [m for m in mended if job.checkers != _EVERYWHERE and "contracts" not in m.impact.engines]
    before = {file.path: file.text.decode("utf-8", "replace") for file in own.files}
    lines = names = same_lines = same_names = adapted = 0
    for path, text in done.changes.items():
        compile(text.lstrip("\ufeff"), path, "exec", dont_inherit=True)
        if path not in theirs:
            continue
        adapted += 1
        touched, new = _touched(before[path], text), _new_names(before[path], text)
        their_touched, their_new = _touched(*theirs[path]), _new_names(*theirs[path])
        lines, same_lines = lines + len(touched), same_lines + len(touched & their_touched)
        names, same_names = names + len(new), same_names + len(new & their_new)
    return {
        "id": job.item.id,
        "breaks": len(mended) + len(left),
        "rewritten": len(mended),
        "sound": len(mended) - len(unsound) - len(on_their_word),
        "on_the_word_of_a_type_checker": len(on_their_word),
        "worse": len(worse(done.before, done.after)) + len(done.after.typed - done.before.typed),
        "files": len(done.changes),
        "kinds": _by_kind(mended, left),
        "moved": _share(mended, left, _MOVED),
        "maintainers": {
            "files": adapted,
            "lines": lines,
            "same_lines": same_lines,
            "names": names,
            "same_names": same_names,
        },
        "needs_author": [
            {"id": m.impact.id, "kind": m.impact.kind, "symbol": m.impact.symbol, "why": m.why,
             "place": f"{m.impact.locations[0].file}:{m.impact.locations[0].line}"}
            for m in left
        ],
        "mended": [
            {"id": m.impact.id, "kind": m.impact.kind, "symbol": m.impact.symbol,
             "rules": [rule.name for rule in m.rules],
             "place": f"{m.impact.locations[0].file}:{m.impact.locations[0].line}"}
            for m in mended
        ],
    }  # fmt: skip


def _by_kind(mended: Iterable[Any], left: Iterable[Any]) -> dict[str, list[int]]:
    """``kind/contract`` → how many were rewritten, and of how many."""
    counts: dict[str, list[int]] = {}
    for rewritten, members in ((1, mended), (0, left)):
        for member in members:
            impact = member.impact
            entry = counts.setdefault(f"{impact.kind}/{impact.contract or 'type'}", [0, 0])
            entry[0] += rewritten
            entry[1] += 1
    return counts


def _share(mended: Sequence[Any], left: Sequence[Any], kinds: Sequence[str]) -> list[int]:
    done = sum(m.impact.kind in kinds for m in mended)
    return [done, done + sum(m.impact.kind in kinds for m in left)]


def _adaptation(repository: GitRepository, job: Job, changes: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Path → text before and after the maintainers' adaptation, for the files that both changed."""
    old, new = (repository.tree(c) for c in (job.item.backend_parent, job.backend_commit))
    both = [p for p in changes if p in old and p in new and old[p].blob != new[p].blob]
    texts = dict(repository.blobs([side[p].blob for p in both for side in (old, new)]))
    return {
        p: (texts[old[p].blob].decode("utf-8", "replace"), texts[new[p].blob].decode("utf-8", "replace"))
        for p in both
    }


def _touched(before: str, after: str) -> set[int]:
    """The lines of a text that a change replaces or removes, or that it puts something behind."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    found: set[int] = set()
    for kind, i1, i2, _, _ in matcher.get_opcodes():
        if kind != "equal":
            found.update(range(i1, i2) if i2 > i1 else (i1,))
    return found


def _new_names(before: str, after: str) -> set[str]:
    """Identifiers that a change uses more often than before."""
    was, now = (Counter(_IDENTIFIER.findall(text)) for text in (before, after))
    return set(now - was)


def _reported(report: Path) -> list[Impact]:
    found = parse(report.read_bytes(), str(report))
    return [replace(impact, fix=None) for each in found for impact in each.impacts]


def _judged(figures: Sequence[Mapping[str, Any]], tables: Sequence[Path]) -> dict[str, list[int]]:
    """Judgement → how many of these impacts were rewritten, and of how many."""
    said: dict[tuple[str, str], str] = {}
    for table in tables:
        with table.open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                said[row["range"], row["id"][:10]] = row["judgement"]
                said.setdefault(("", row["id"][:10]), row["judgement"])
    counts: dict[str, list[int]] = {}
    for figure in figures:
        for rewritten, members in ((1, figure["mended"]), (0, figure["needs_author"])):
            for member in members:
                name = member["id"][:10]
                judgement = said.get((figure["id"], name)) or said.get(("", name), "not judged")
                entry = counts.setdefault(judgement, [0, 0])
                entry[0] += rewritten
                entry[1] += 1
    return counts


def _summary(figures: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    def total(name: str) -> int:
        return sum(int(f[name]) for f in figures)

    kinds: dict[str, list[int]] = {}
    for figure in figures:
        for kind, (done, count) in figure["kinds"].items():
            entry = kinds.setdefault(kind, [0, 0])
            entry[0] += done
            entry[1] += count
    theirs = {k: sum(f["maintainers"][k] for f in figures) for k in figures[0]["maintainers"]}
    return {
        "ranges": len(figures),
        **{name: total(name) for name in _COUNTS},
        "moved": [sum(f["moved"][i] for f in figures) for i in (0, 1)],
        "seconds": sorted(f["seconds"] for f in figures),
        "kinds": dict(sorted(kinds.items(), key=lambda item: -item[1][1])),
        "maintainers": theirs,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code: 1 where something became worse or is unsound."""
    parser = argparse.ArgumentParser(
        prog="migrate.py", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("truth", type=Path)
    parser.add_argument("--upstream", type=Path, required=True, help="git repository of the upstream")
    parser.add_argument("--backend-repository", type=Path, required=True, help="that of the backend")
    parser.add_argument("--results", type=Path, required=True, help="folder for results and checkouts")
    parser.add_argument("--reports", type=Path, help="folder of reports of syncbot check, ID.json each")
    parser.add_argument("--judged", type=Path, action="append", default=[], metavar="TSV")
    parser.add_argument("--only", action="append", default=[], metavar="ID")
    parser.add_argument(
        "--checkers", choices=(_NOWHERE, _FINDING, _EVERYWHERE), default=_FINDING,
        help="where type checkers are asked: nowhere, for breaks, or about the rewritten sources too",
    )  # fmt: skip
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    options.results.mkdir(parents=True, exist_ok=True)
    records = {r["id"]: r for r in map(json.loads, options.truth.read_text().splitlines())}
    ranges = [r for r in read_ranges(options.truth) if not options.only or r.id in options.only]
    with GitRepository(options.backend_repository) as repository:
        for item in ranges:
            check_out(
                repository, item.backend_parent, options.results / "checkouts" / item.backend_parent[:12]
            )
    jobs = [
        Job(item, records[item.id]["backend_commit"], options.upstream.absolute(),
            options.backend_repository, options.results, options.reports, options.checkers)
        for item in ranges if not (options.results / f"{item.id}.json").exists()
    ]  # fmt: skip
    try:
        with ProcessPoolExecutor(options.jobs) as pool:
            for figure in pool.map(run, jobs):
                counts = f"{figure['rewritten']}/{figure['breaks']}"
                print(f"{figure['id']:<22} {counts:>8} rewritten, {figure['sound']} sound, "
                      f"{figure['worse']} worse, {figure['seconds']} s", flush=True)  # fmt: skip
    except SyncbotError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    figures = [json.loads((options.results / f"{item.id}.json").read_text()) for item in ranges]
    summary = _summary(figures)
    if options.judged:
        summary["judged"] = _judged(figures, options.judged)
    (options.results / "summary.json").write_text(json.dumps(summary, indent=1))
    print(json.dumps(summary, indent=1))
    unsound = summary["rewritten"] - summary["sound"] - summary["on_the_word_of_a_type_checker"]
    return 1 if summary["worse"] or unsound else 0


if __name__ == "__main__":
    sys.exit(main())
