"""How many checks of a lane each of the last commits made stale.

By what the checks executed, and by the rule before, for which all files of the lane and all code beside it
counted.

usage: python benchmarks/stale_by_commit.py [--lane TAG] [--commits N] [--until REF] [--record]

It prints a row for each commit; ``--record`` writes the sum to benchmarks/results/staleness.yaml.

Counted are commits that touch the backend, the simulator or the lane's lock, and checks whose evidence tells
what they executed. The lane has to be the one that the backend's sources are written for.
"""

from __future__ import annotations

import argparse
import datetime
import io
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from evidence_page import Figure, record

from syncbot.lanes import matrix as matrices
from syncbot.lanes.backend_files import is_code
from syncbot.lanes.dependence import Present, Sources
from syncbot.lanes.evidence import Evidence

ROOT = Path(__file__).parents[1]
LANE, BESIDE = "backend/", "simulator/"


@dataclass(frozen=True)
class State:
    """The files of a commit that checks may depend on."""

    lane: Mapping[str, bytes]
    beside: Mapping[str, bytes]
    lock: bytes

    @property
    def present(self) -> Present:
        """The content that counts now."""
        lines = [line for line in self.lock.splitlines() if not line.startswith(b"#")]
        return Present(Sources(self.lane), Sources(self.beside), repr(lines))

    def before(self) -> object:
        """The content that counted before: the lane's files, and those beside it but documents and tests."""
        code = {path: content for path, content in self.beside.items() if is_code(PurePosixPath(path))}
        return self.lane, code


def git(*words: str) -> bytes:
    """Return git's output in the project."""
    return subprocess.run(["git", "-C", str(ROOT), *words], check=True, capture_output=True).stdout


def state(commit: str, lock: str) -> State:
    """The files of a commit."""
    # A lock was in another folder once.
    names = git("ls-tree", "--name-only", commit, "backend", "simulator", *_places(lock)).decode().split()
    archive = git("archive", commit, *names)
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        files = {each.name: tar.extractfile(each).read() for each in tar if each.isfile()}  # type: ignore[union-attr]
    lane = {name.removeprefix(LANE): content for name, content in files.items() if name.startswith(LANE)}
    beside = {name: content for name, content in files.items() if name.startswith(BESIDE)}
    return State(lane, beside, next((files[place] for place in _places(lock) if place in files), b""))


def _places(lock: str) -> tuple[str, str]:
    return f"evidence/locks/{lock}", f"locks/{lock}"


def stale(checks: Mapping[str, Evidence], before: State, after: State) -> int:
    """How many checks a commit makes stale."""
    old, new = before.present, after.present
    return sum(old.digest(each.executed, "") != new.digest(each.executed, "") for each in checks.values())


def rows(
    checks: Mapping[str, Evidence], lock: str, count: int, until: str
) -> Iterator[tuple[str, str, int, int]]:
    """Of each commit, the newest first: day, subject, and how many checks it made stale, before and now."""
    log = git(
        "log", f"-{count}", "--no-merges", "--format=%H %as %s", until, "--", "backend", "simulator", lock
    )
    for line in log.decode().splitlines():
        commit, day, subject = line.split(" ", 2)
        older, newer = state(f"{commit}^", lock), state(commit, lock)
        changed = older.before() != newer.before()
        yield day, subject, len(checks) * changed, stale(checks, older, newer)


def table(found: Iterable[tuple[str, str, int, int]]) -> str:
    """The rows as Markdown."""
    lines = ["| day | commit | before | now |", "| --- | --- | --- | --- |"]
    lines += [f"| {day} | {subject.replace('|', '/')} | {old} | {new} |" for day, subject, old, new in found]
    return "\n".join(lines)


def figure(found: Sequence[tuple[str, str, int, int]], checks: int, lane: str, until: str) -> Figure:
    """The sum of the rows: how many cells of commits and checks went stale."""
    before, now = sum(old for *_, old, _ in found), sum(new for *_, new in found)
    return Figure(
        what=f"Evidence of {lane} that {len(found)} commits on the backend and simulator made stale",
        figure=f"{now} of {len(found) * checks} cells ({before} by the rule before)",
        date=datetime.date.today(),
        commit=git("rev-parse", "--short=8", until).decode().strip(),
        command="python benchmarks/stale_by_commit.py",
    )


def main() -> None:
    """Print the table, and record its sum where that is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lane", default="v0.33.0")
    parser.add_argument("--commits", type=int, default=40)
    parser.add_argument("--until", default="HEAD", help="the last commit")
    parser.add_argument("--record", action="store_true", help="write benchmarks/results/staleness.yaml")
    given = parser.parse_args()
    recorded = matrices.load(ROOT / "compat_matrix.yaml").lane(given.lane).checks
    checks = {name: each for name, each in recorded.items() if each.executed is not None}
    found = list(rows(checks, f"{given.lane}.txt", given.commits, given.until))
    print(table(found))
    if given.record:
        record("staleness", [figure(found, len(checks), given.lane, given.until)])


if __name__ == "__main__":
    main()
