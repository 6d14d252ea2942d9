"""Compare what the contract engine finds with the findings that are frozen in ``findings.txt``.

usage: python benchmarks/findings.py [--only ID]... [--add ID]... [--write] [--build DIR] [--jobs N]
                                     [--ranges FILE --upstream REPO --backend-repository REPO]

An input is a pair of ``ecosystem.tsv`` or ``fresh-pairs.tsv``, or a range of ``later.jsonl`` or of a FILE
like it, as ``truth.py`` reads it; ranges need both repositories. The frozen file holds for each input a line
with its id and the digest of what it is, then the findings, sorted: place, kind, verdict, checks. What is
found otherwise is printed by check. ``--add`` takes an input in; ``--write`` freezes what was found. Inputs
that cannot be run here are named. The exit code is 1 where something differs.

Both ends of an input are compared in this process, and no commit is looked for. Releases, files and what was
read of upstream are kept below DIR, never what was found.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path

from ecosystem import ROOT, Pair, configuration_of, read_pairs
from plugin_files import laid_out
from truth import Range, check_out, read_ranges

from syncbot import config as configuration
from syncbot.atomic import write_file
from syncbot.configuration_file import configured_by
from syncbot.errors import SyncbotError
from syncbot.impact.accelerator import Accelerator
from syncbot.impact.analysis import compared
from syncbot.impact.model import Impact
from syncbot.impact.session import backend_of, opened
from syncbot.impact.trees import Trees
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.opening import Upstream, open_upstream

_HERE = Path(__file__).parent
_FROZEN = _HERE / "findings.txt"
Input = Pair | Range


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """One line of the plugin in one finding."""

    place: str
    kind: str
    verdict: str
    checks: str


@dataclass(frozen=True, slots=True)
class Frozen:
    """The findings of an input, and the digest of what it is."""

    digest: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The findings on an input and the seconds of processor that they took, or why it could not be run."""

    lines: tuple[Line, ...]
    seconds: float = 0.0
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are kept, and the histories that ranges are of."""

    build: Path
    upstream: Path | None = None
    backend: Path | None = None


def digest(asked: Input) -> str:
    """A digest of what an input is: digests of files, commits, versions."""
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


def lines_of(impacts: Iterable[Impact]) -> tuple[Line, ...]:
    """Each line of the plugin in each finding, sorted."""
    return tuple(
        sorted(
            Line(f"{place.file}:{place.line}", impact.kind, impact.verdict, "+".join(impact.checks))
            for impact in impacts
            for place in impact.locations
        )
    )


def differences(before: Mapping[str, Frozen], after: Mapping[str, Frozen]) -> Iterator[str]:
    """Yield the findings that only one side reports, by check, with the input of each line."""
    by_check: dict[str, list[str]] = {}
    for id, now in after.items():
        was, told = Counter(before[id].lines if id in before else ()), Counter(now.lines)
        for mark, lines in (("-", was - told), ("+", told - was)):
            for line in lines.elements():
                by_check.setdefault(line.checks, []).append(
                    f"{mark} {id} {line.place} {line.kind} {line.verdict}"
                )
    for check, said in sorted(by_check.items()):
        gone = sum(line.startswith("-") for line in said)
        yield f"{check}: {gone} gone, {len(said) - gone} new"
        yield from (f"  {line}" for line in sorted(said, key=lambda line: (line[2:], line[0])))


def inputs(ranges: Iterable[Path]) -> dict[str, Input]:
    """All inputs that are known, by their ids."""
    known: list[Input] = []
    for name in ("ecosystem.tsv", "fresh-pairs.tsv"):
        known += read_pairs(_HERE / name)
    for file in ranges:
        known += read_ranges(file)
    return {each.id: each for each in known}


@contextmanager
def trees_of(asked: Input, places: Places) -> Iterator[tuple[Trees, str, str]]:
    """The trees of an input, and its two ends. Raises SyncbotError where it cannot be fetched."""
    if isinstance(asked, Pair):
        plugin = laid_out(asked.plugin, asked.version, asked.sha256, places.build)
        chosen = places.build / "configurations" / f"{asked.id}.toml"
        chosen.parent.mkdir(parents=True, exist_ok=True)
        chosen.write_text(configuration_of(asked), encoding="utf-8")
        with configured_by(chosen):
            config = configuration.load(plugin)
        upstream, ends = None, (asked.old, asked.new)
    else:
        if places.upstream is None or places.backend is None:
            raise SyncbotError("no histories are given")
        plugin = places.build / "checkouts" / asked.backend_parent[:12]
        with GitRepository(places.backend) as repository:
            check_out(repository, asked.backend_parent, plugin)
        config = configuration.load(plugin)
        upstream, ends = str(places.upstream.absolute()), (asked.upstream_old, asked.upstream_new)
    cache = places.build / "cache"
    with _opened(config, upstream, cache, ends) as followed:
        old, new = map(followed.repository.resolve, ends)
        with opened(config, followed, backend_of(config), cache, lambda _: Accelerator()) as trees:
            yield trees, old, new


def _opened(
    config: configuration.Config, upstream: str | None, cache: Path, ends: tuple[str, str]
) -> Upstream:
    return open_upstream(config, upstream, cache, ends if upstream is None else ())


def run(places: Places, asked: Input) -> Found:
    """Return the findings of the engine on an input."""
    begun = time.process_time()
    try:
        with trees_of(asked, places) as (trees, old, new):
            lines = lines_of(compared(trees, old, new))
    except SyncbotError as error:
        return Found((), failure=str(error))
    return Found(lines, round(time.process_time() - begun, 1))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the inputs and print what differs."""
    asked = _parser().parse_args(arguments)
    begun = time.perf_counter()
    frozen = read(_FROZEN.read_text(encoding="utf-8")) if _FROZEN.exists() else {}
    known = inputs((_HERE / "later.jsonl", *asked.ranges))
    ids = [id for id in dict.fromkeys((*frozen, *asked.add)) if not asked.only or id in asked.only]
    chosen = {id: known[id] for id in ids if id in known}
    places = Places(asked.build.resolve(), asked.upstream, asked.backend_repository)
    found: dict[str, Found] = {}
    # An executor with max_tasks_per_child may wait for ever (CPython's issue 115634).
    with multiprocessing.get_context("spawn").Pool(asked.jobs, maxtasksperchild=8) as pool:
        for id, each in zip(chosen, pool.imap(partial(run, places), chosen.values()), strict=True):
            found[id] = each
            print(
                f"{id}: {each.failure or f'{len(each.lines)} in {each.seconds} s'}",
                file=sys.stderr,
                flush=True,
            )
    after = {id: Frozen(digest(chosen[id]), each.lines) for id, each in found.items() if not each.failure}
    other = [id for id, each in after.items() if id in frozen and frozen[id].digest != each.digest]
    said = [*differences(frozen, after)]
    print("".join(f"{line}\n" for line in said), end="")
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
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "ecosystem")
    parser.add_argument("--ranges", action="append", type=Path, default=[], metavar="FILE")
    parser.add_argument("--upstream", type=Path, metavar="REPO")
    parser.add_argument("--backend-repository", type=Path, metavar="REPO")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser


if __name__ == "__main__":
    sys.exit(main())
