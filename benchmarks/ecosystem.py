"""Compare what two states of syncbot find on pairs of a plugin's release and a change of its upstream.

usage: python benchmarks/ecosystem.py [--before COMMIT] [--after COMMIT] [--only ID]... [--build DIR] [--plan]

Pairs are the rows of ``ecosystem.tsv`` beside this file, all from the package index: the plugin's file is
held against its digest, upstream's against those of the index. No plugin is configured. ``--before`` is the
commit that main and the working tree have in common, unless given; ``--after`` the working tree itself. What
one state finds is kept below ``--build`` by the digest of its code, so that only a new state is run. The
difference is printed as Markdown; the exit code is 1 where a pair could not be run.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from plugin_files import laid_out

from syncbot.errors import SyncbotError

ROOT = Path(__file__).resolve().parents[1]
_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Pair:
    """A plugin's release or commit, the digest of its file, and two releases of what it is a plugin of."""

    id: str
    plugin: str
    version: str
    sha256: str
    upstream: str
    packages: tuple[str, ...]
    old: str
    new: str


@dataclass(frozen=True, slots=True, order=True)
class Told:
    """One line of the plugin in one finding."""

    verdict: str
    kind: str
    place: str
    message: str


@dataclass(frozen=True, slots=True)
class State:
    """A state of syncbot: its folder, and the digest of its code."""

    name: str
    folder: Path
    digest: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The findings of one state on a pair, or why it could not be run."""

    told: tuple[Told, ...]
    seconds: float
    failure: str = ""


def read_pairs(table: Path) -> tuple[Pair, ...]:
    """The rows of the table."""
    lines = (line for line in table.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return tuple(
        Pair(
            row["id"], row["plugin"], row["version"], row["sha256"], row["upstream"],
            tuple(row["packages"].split(",")), row["from"], row["to"],
        )
        for row in csv.DictReader(lines, delimiter="\t")
    )  # fmt: skip


def difference(before: Mapping[str, Outcome], after: Mapping[str, Outcome]) -> Iterator[str]:
    """The lines of Markdown that say what two states find differently, pair by pair."""
    changed = [id for id in after if id in before and set(before[id].told) != set(after[id].told)]
    counts = (sum(len(o.told) for o in side.values()) for side in (before, after))
    yield f"{len(after)} pairs, {len(changed)} with a difference; findings {' → '.join(map(str, counts))}"
    for id in changed:
        was, now = set(before[id].told), set(after[id].told)
        yield from ("", f"### {id}", "", "| | verdict | kind | place | message |", "|---|---|---|---|---|")
        rows = [("-", t) for t in was - now] + [("+", t) for t in now - was]
        for mark, told in sorted(rows, key=lambda row: (row[1].place, row[0] == "+", row[1])):
            message = told.message.replace("|", "\\|")
            yield f"| {mark} | {told.verdict} | {told.kind} | {told.place} | {message} |"
    failed = [(id, o.failure) for side in (before, after) for id, o in side.items() if o.failure]
    yield from ("", "### Not run", "") if failed else ()
    yield from (f"- {id}: {failure}" for id, failure in dict.fromkeys(failed))


def outcome(pair: Pair, state: State, build: Path) -> Outcome:
    """Return the findings of a state on a pair, from an earlier run where there is one."""
    kept = build / "results" / state.digest / f"{pair.id}.json"
    if kept.exists():
        known = json.loads(kept.read_text(encoding="utf-8"))
        return Outcome(tuple(Told(*row) for row in known["told"]), known["seconds"])
    folder = build / "runs" / state.digest / pair.id
    try:
        plugin = laid_out(pair.plugin, pair.version, pair.sha256, build)
    except SyncbotError as error:
        return Outcome((), 0, str(error))
    folder.mkdir(parents=True, exist_ok=True)
    configuration = folder / "syncbot.toml"
    configuration.write_text(configuration_of(pair), encoding="utf-8")
    out = folder / "out.json"
    command = [
        sys.executable, "-m", "syncbot", "check", "--backend", str(plugin), "--config", str(configuration),
        "--from", pair.old, "--to", pair.new, "--engine", "contracts", "--no-prose", "--fail-on", "never",
        "--format", "json", "--output", str(out),
    ]  # fmt: skip
    environment = {**os.environ, "SYNCBOT_CACHE": str(build / "cache"), "PYTHONPATH": str(state.folder)}
    begun = time.perf_counter()
    try:
        done = subprocess.run(
            command, cwd=state.folder, env=environment, capture_output=True, text=True, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        return Outcome((), _SECONDS, f"no answer in {_SECONDS} s")
    seconds = round(time.perf_counter() - begun, 1)
    if not out.exists() or done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        return Outcome((), seconds, f"exit {done.returncode}: {last[0]}")
    told = tuple(sorted(told_of(json.loads(out.read_text(encoding="utf-8")))))
    kept.parent.mkdir(parents=True, exist_ok=True)
    rows = [[t.verdict, t.kind, t.place, t.message] for t in told]
    kept.write_text(json.dumps({"told": rows, "seconds": seconds}), encoding="utf-8")
    return Outcome(told, seconds)


def told_of(report: Mapping[str, object]) -> Iterator[Told]:
    """Each line of the plugin in each finding of a report."""
    impacts = report["impacts"]
    assert isinstance(impacts, list)
    for impact in impacts:
        for place in impact["locations"]:
            where = f"{place['file']}:{place['line']}"
            yield Told(impact["verdict"], impact["kind"], where, impact["message"])


def configuration_of(pair: Pair) -> str:
    """Return the configuration that names the upstream of a pair, and nothing of its plugin."""
    packages = ", ".join(map(json.dumps, pair.packages))
    return (
        f'upstream = "up"\n[upstreams.up]\npackages = [{packages}]\nrelease = "{pair.upstream}"\n'
        f'versions = "=={pair.old}"\n'
    )


def state_of(commit: str | None, build: Path) -> State:
    """The working tree, or a commit laid out below ``build``."""
    folder = ROOT
    if commit is not None:
        name = _git("rev-parse", f"{commit}^{{commit}}")
        folder = build / "states" / name
        if not folder.exists():
            folder.mkdir(parents=True)
            archive = subprocess.run(
                ["git", "-C", str(ROOT), "archive", name, "syncbot"], capture_output=True, check=True
            )
            subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    found = hashlib.sha256()
    for file in sorted((folder / "syncbot").rglob("*.py")):
        found.update(f"{file.relative_to(folder)}\0".encode() + file.read_bytes())
    return State(commit or "the working tree", folder, found.hexdigest()[:16])


def outcomes(pairs: Iterable[Pair], state: State, build: Path, jobs: int) -> dict[str, Outcome]:
    """Return the findings of a state, by pair."""
    pairs = tuple(pairs)
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda pair: outcome(pair, state, build), pairs)
        return {pair.id: each for pair, each in zip(pairs, found, strict=True)}


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both states and print the difference."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--before", help="commit; default: where the working tree left main")
    parser.add_argument("--after", help="commit; default: the working tree")
    parser.add_argument("--only", action="append", default=[], metavar="ID")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "ecosystem")
    parser.add_argument("--table", type=Path, default=Path(__file__).with_name("ecosystem.tsv"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args(arguments)
    begun = time.perf_counter()
    build = asked.build.resolve()
    pairs = [p for p in read_pairs(asked.table) if not asked.only or p.id in asked.only]
    before = state_of(asked.before or _git("merge-base", "main", "HEAD"), build)
    after = state_of(asked.after, build)
    sides = [outcomes(pairs, state, build, asked.jobs) for state in (before, after)]
    print(f"## {before.name} → {after.name}\n")
    print("\n".join(difference(*sides)))
    print(f"\n{time.perf_counter() - begun:.0f} s")
    return int(any(o.failure for side in sides for o in side.values()))


if __name__ == "__main__":
    sys.exit(main())
