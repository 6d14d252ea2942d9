"""A scripted author takes each task of ``syncbot plan`` and does what the maintainers did in its files.

usage: python benchmarks/scripted_agent.py TRUTH --upstream REPO --backend-repository REPO --work DIR
                                           [--later 6] --only ID...

TRUTH is as for truth.py; ``backend_commit`` is the maintainers' adaptation. For each task the files that it
names are replaced by theirs, what the task's own command asks is asked, and the files are put back. Tasks of
the same files are asked for at once. Where they left a file alone in the adaptation, or it is not done with
that, the next commits of theirs that touch it are taken one after the other, ``--later`` at most. A task that
is called done while nothing was changed counts against the command.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from planned_ranges import parser, planned_ranges

from syncbot.steps.task import Task
from syncbot.upstream.git_repository import GitRepository
from syncbot.workflows.check import check
from syncbot.workflows.check_options import CheckOptions
from syncbot.workflows.steps import plan_steps


@dataclass(frozen=True, slots=True)
class Tried:
    """A task: which commit of the maintainers' it is done with, if any, and whether it is done without."""

    id: str
    message: str
    files: tuple[str, ...]
    done_untouched: bool
    done_with: str | None


def head_of(task: Task) -> dict[str, object]:
    """The JSON at the head of a task's text."""
    head: dict[str, object] = json.loads(task.text.split("```json\n", 1)[1].split("\n```", 1)[0])
    return head


def left(task: Task, folder: Path, upstream: str) -> set[str]:
    """The ids that are found in the range of a task's command, in the files as they stand."""
    words = task.command.split()
    asked = CheckOptions(
        old=words[words.index("--from") + 1],
        new=words[words.index("--to") + 1],
        engines=("contracts",),
        backend=folder,
        upstreams=(upstream,),
    )
    return {i.id for report in check(asked) for i in report.impacts if not i.tests_only}


def files_of(task: Task) -> tuple[str, ...]:
    """The files that a task names."""
    listed = head_of(task)["files"]
    assert isinstance(listed, list)
    return tuple(map(str, listed))


def theirs(repository: GitRepository, commit: str, files: Sequence[str]) -> dict[str, bytes | None]:
    """The files as the maintainers left them; None for one that they removed."""
    tree = repository.tree(commit)
    kept = [path for path in files if path in tree]
    texts = dict(zip(kept, (b for _, b in repository.blobs([tree[p].blob for p in kept])), strict=True))
    return {path: texts.get(path) for path in files}


def put(folder: Path, files: dict[str, bytes | None]) -> None:
    """Write the files into a folder; a None removes one."""
    for path, text in files.items():
        if text is None:
            (folder / path).unlink(missing_ok=True)
        else:
            (folder / path).write_bytes(text)


def versions(repository: Path, commit: str, files: Sequence[str], later: int) -> Iterator[str]:
    """The adaptation, then the next commits that touch some files, oldest first."""
    yield commit
    log: list[str | Path] = [
        "git",
        "-C",
        repository,
        "log",
        "--first-parent",
        "--reverse",
        "--format=%H",
        f"{commit}..HEAD",
    ]
    done = subprocess.run([*log, "--", *files], check=True, capture_output=True, text=True)
    yield from islice(done.stdout.split(), later)


def tried(
    repository: GitRepository, tasks: Sequence[Task], commits: Iterator[str], folder: Path, upstream: str
) -> Iterator[Tried]:
    """Do the tasks of the same files as the maintainers did, commit by commit, until all are done."""
    files = files_of(tasks[0])
    before: dict[str, bytes | None] = {path: (folder / path).read_bytes() for path in files}
    untouched = left(tasks[0], folder, upstream)
    done_with: dict[str, str] = {}
    for commit in commits:
        after = theirs(repository, commit, files)
        if after == before:
            continue
        put(folder, after)
        found = left(tasks[0], folder, upstream)
        put(folder, before)
        done_with = {t.id: commit for t in tasks if t.id not in found} | done_with
        if len(done_with) == len(tasks):
            break
    for task in tasks:
        head = head_of(task)
        message = f"{head['verdict']} {head['kind']} {head['symbol']}"
        yield Tried(task.id, message, files, task.id not in untouched, done_with.get(task.id))


def main() -> None:
    """Try the tasks of each range."""
    asking = parser(__doc__)
    asking.add_argument("--later", type=int, default=6)
    asked = asking.parse_args()
    repository = GitRepository(asked.backend_repository)
    for each in planned_ranges(asked):
        record, folder = each.record, each.options.backend
        begun = time.process_time()
        tasks = plan_steps(each.options).tasks
        print(f"{each.id}: {len(tasks)} tasks, {time.process_time() - begun:.0f} s", flush=True)
        groups: dict[tuple[str, ...], list[Task]] = {}
        for task in tasks:
            groups.setdefault(files_of(task), []).append(task)
        results: list[Tried] = []
        for files, group in groups.items():
            commits = versions(asked.backend_repository, record["backend_commit"], files, asked.later)
            results += tried(repository, group, commits, folder, asked.upstream)
            for done in results[-len(group) :]:
                theirs_is = done.done_with[:10] if done.done_with else "no commit of theirs"
                print(f"  {done.id} {done.message}: {theirs_is}; {' '.join(files)}", flush=True)
        at_once = sum(result.done_with == record["backend_commit"] for result in results)
        print(
            f"  {sum(result.done_with is not None for result in results)} of {len(results)} done,"
            f" {at_once} of them with the adaptation itself;"
            f" {sum(result.done_untouched for result in results)} done untouched;"
            f" {time.process_time() - begun:.0f} s of processor",
            flush=True,
        )


if __name__ == "__main__":
    main()
