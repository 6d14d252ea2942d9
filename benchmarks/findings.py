"""Compare what the contract engine finds with the findings that are frozen in ``findings.txt``.

usage: python benchmarks/findings.py [--only ID]... [--add ID]... [--write] [--commit COMMIT] [--build DIR]
                                     [--ranges FILE --upstream REPO --backend-repository REPO]

An input is a pair of ``ecosystem.tsv`` or ``fresh-pairs.tsv``, or a range of ``later.jsonl`` or of a FILE like
it, as ``truth.py`` reads it; ranges need both repositories. The frozen file holds for each input a line with
its id and its digest, then the findings, sorted: place, kind, verdict, check, guilty commit. Differences are
printed by check. ``--add`` takes an input in; ``--write`` freezes what was found. Inputs that cannot be run
here are named. The exit code is 1 where something differs. What was read of upstream is kept below DIR, and
what a state of syncbot found under the digest of its code, as in ``ecosystem.py``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from pathlib import Path

from ecosystem import ROOT, Outcome, Pair, State, checked, kept, outcome, read_pairs, state_of
from truth import Range, check_out, read_ranges

from syncbot.atomic import write_file
from syncbot.upstream.git_repository import GitRepository

_HERE = Path(__file__).parent
_FROZEN = _HERE / "findings.txt"
_SECONDS = 1200
Input = Pair | Range


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """One line of the plugin in one finding."""

    place: str
    kind: str
    verdict: str
    check: str
    commit: str


@dataclass(frozen=True, slots=True)
class Frozen:
    """The findings of an input, and the digest of what they were made of."""

    digest: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Repositories:
    """The histories that ranges are of."""

    upstream: Path
    backend: Path


def digest(asked: Input) -> str:
    """A digest of what names an input: files by their digests, commits, versions."""
    return hashlib.sha256(json.dumps(astuple(asked)).encode()).hexdigest()[:16]


def read(text: str) -> dict[str, Frozen]:
    """The findings of each input of a frozen file."""
    found: dict[str, Frozen] = {}
    for part in filter(None, text.split("# ")):
        head, *lines = part.splitlines()
        id, known = head.split(" ")
        found[id] = Frozen(known, tuple(Line(*line.split("\t")) for line in lines))
    return found


def written(frozen: Mapping[str, Frozen]) -> str:
    """The text of a frozen file."""
    return "".join(
        f"# {id} {each.digest}\n" + "".join("\t".join(astuple(line)) + "\n" for line in sorted(each.lines))
        for id, each in sorted(frozen.items())
    )


def lines_of(found: Outcome) -> tuple[Line, ...]:
    """The findings of a run, sorted."""
    return tuple(sorted(Line(t.place, t.kind, t.verdict, t.check, t.commit) for t in found.told))


def differences(before: Mapping[str, Frozen], after: Mapping[str, Frozen]) -> Iterator[str]:
    """The lines that are told by one side alone, by check, with the input of each."""
    gone: dict[str, list[str]] = {}
    for id, now in after.items():
        was, told = (Counter(each.lines if each else ()) for each in (before.get(id), now))
        for mark, lines in (("-", was - told), ("+", told - was)):
            for line in lines.elements():
                said = f"{mark} {id} {line.place} {line.kind} {line.verdict} {line.commit}".rstrip()
                gone.setdefault(line.check, []).append(said)
    for check, said in sorted(gone.items()):
        yield f"{check}: {sum(line[0] == '-' for line in said)} gone, {sum(line[0] == '+' for line in said)} new"
        yield from (f"  {line}" for line in sorted(said, key=lambda line: (line[2:], line[0])))


def run(asked: Input, state: State, build: Path, repositories: Repositories | None) -> Outcome:
    """What a state finds of an input."""
    if isinstance(asked, Pair):
        return outcome(asked, state, build)
    if repositories is None:
        return Outcome((), 0, "no repositories are given")
    known = kept(asked.id, state, build)
    if known is not None:
        return known
    folder = build / "checkouts" / asked.backend_parent[:12]
    with GitRepository(repositories.backend) as repository:
        check_out(repository, asked.backend_parent, folder)
    ends = ("--from", asked.upstream_old, "--to", asked.upstream_new)
    options = ("--upstream", str(repositories.upstream.absolute()), *ends)
    return checked(asked.id, folder, options, state, build, _SECONDS)


def inputs(tables: Iterable[Path], ranges: Iterable[Path]) -> dict[str, Input]:
    """All inputs that are known, by their ids."""
    pairs = (pair for table in tables for pair in read_pairs(table))
    return {each.id: each for each in (*pairs, *(r for file in ranges for r in read_ranges(file)))}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the inputs and print what differs."""
    asked = _parser().parse_args(arguments)
    begun = time.perf_counter()
    build = asked.build.resolve()
    frozen = read(_FROZEN.read_text(encoding="utf-8")) if _FROZEN.exists() else {}
    tables = (_HERE / "ecosystem.tsv", _HERE / "fresh-pairs.tsv")
    known = inputs(tables, (_HERE / "later.jsonl", *asked.ranges))
    ids = [id for id in (*frozen, *asked.add) if not asked.only or id in asked.only]
    chosen = {id: known[id] for id in ids if id in known}
    repositories = Repositories(asked.upstream, asked.backend_repository) if asked.upstream else None
    state = state_of(asked.commit, build)
    with ThreadPoolExecutor(asked.jobs) as pool:
        found = dict(
            zip(chosen, pool.map(lambda i: run(i, state, build, repositories), chosen.values()), strict=True)
        )
    after = {
        id: Frozen(digest(chosen[id]), lines_of(each)) for id, each in found.items() if not each.failure
    }
    other = [id for id, each in after.items() if id in frozen and frozen[id].digest != each.digest]
    said = [*differences(frozen, after)]
    print("\n".join(said))
    print("".join(f"another input than was frozen: {id}\n" for id in other), end="")
    print("".join(f"not run: {id}: {each.failure}\n" for id, each in found.items() if each.failure), end="")
    print("".join(f"not run: {id}: no table has it\n" for id in ids if id not in known), end="")
    lines = sum(len(each.lines) for each in after.values())
    print(f"{len(after)} inputs, {lines} findings, {time.perf_counter() - begun:.0f} s")
    if asked.write:
        write_file(_FROZEN, written({**frozen, **after}).encode())
    return int(bool(said or other) and not asked.write)


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--only", action="append", default=[], metavar="ID")
    parser.add_argument("--add", action="append", default=[], metavar="ID")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--commit", help="state of syncbot; default: the working tree")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "ecosystem")
    parser.add_argument("--ranges", action="append", type=Path, default=[], metavar="FILE")
    parser.add_argument("--upstream", type=Path, metavar="REPO")
    parser.add_argument("--backend-repository", type=Path, metavar="REPO")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser


if __name__ == "__main__":
    sys.exit(main())
