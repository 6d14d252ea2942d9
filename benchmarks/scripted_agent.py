"""A scripted author takes each task of ``syncbot plan`` and does what the maintainers did in its files.

usage: python benchmarks/scripted_agent.py TRUTH --upstream REPO --backend-repository REPO --work DIR
                                           --only ID...

TRUTH is as for truth.py; ``backend_commit`` is the maintainers' adaptation. For each task the files that it
names are replaced by theirs, the task's own command is asked, and the files are put back. A task that is
called done while nothing was changed counts against the command. Of a task that is not done, says whether
they changed its files at all: else they mended it in another file, later, or never.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from truth import check_out

from syncbot.steps.task import Task
from syncbot.upstream.git_repository import GitRepository
from syncbot.workflows.check import CheckOptions, check, fails
from syncbot.workflows.steps import PlanOptions, plan_steps


@dataclass(frozen=True, slots=True)
class Tried:
    """A task: whether the maintainers changed its files, and whether it is done, before and after."""

    id: str
    message: str
    files: tuple[str, ...]
    touched: bool
    done_untouched: bool
    done: bool


def head_of(task: Task) -> dict[str, object]:
    """The JSON at the head of a task's text."""
    head: dict[str, object] = json.loads(task.text.split("```json\n", 1)[1].split("\n```", 1)[0])
    return head


def is_done(task: Task, folder: Path, upstream: str) -> bool:
    """What the command of a task says of the files as they stand."""
    words = task.command.split()
    asked = CheckOptions(
        old=words[words.index("--from") + 1],
        new=words[words.index("--to") + 1],
        only=task.id,
        engines=("contracts",),
        backend=folder,
        upstreams=(upstream,),
    )
    return not fails(check(asked), "at-risk")


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


def tried(repository: GitRepository, task: Task, commit: str, folder: Path, upstream: str) -> Tried:
    """Do one task as the maintainers did, ask its command, and put the files back."""
    head = head_of(task)
    listed = head["files"]
    assert isinstance(listed, list)
    files = tuple(map(str, listed))
    before = {path: (folder / path).read_bytes() for path in files}
    after = theirs(repository, commit, files)
    untouched = is_done(task, folder, upstream)
    put(folder, after)
    done = is_done(task, folder, upstream)
    put(folder, dict(before))
    message = f"{head['verdict']} {head['kind']} {head['symbol']}"
    return Tried(task.id, message, files, after != before, untouched, done)


def main() -> None:
    """Try the tasks of each range."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("truth", type=Path)
    parser.add_argument("--upstream", required=True)
    parser.add_argument("--backend-repository", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", action="append", required=True)
    asked = parser.parse_args()
    repository = GitRepository(asked.backend_repository)
    for record in map(json.loads, asked.truth.read_text().splitlines()):
        if record["id"] not in asked.only:
            continue
        folder = asked.work / record["id"]
        folder.mkdir(parents=True, exist_ok=True)
        check_out(repository, record["backend_parent"], folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        begun = time.process_time()
        options = PlanOptions(
            old=record["upstream_old"], new=record["upstream_new"], backend=folder, upstream=asked.upstream
        )
        tasks = plan_steps(options).tasks
        print(f"{record['id']}: {len(tasks)} tasks, {time.process_time() - begun:.0f} s", flush=True)
        results = [
            tried(repository, each, record["backend_commit"], folder, asked.upstream) for each in tasks
        ]
        for each in results:
            if not each.done or each.done_untouched:
                touched = "changed by them" if each.touched else "not changed by them"
                print(f"  {each.id} done={each.done} untouched={each.done_untouched} {each.message}")
                print(f"    {' '.join(each.files)}: {touched}", flush=True)
        changed = [each for each in results if each.touched]
        print(
            f"  {sum(e.done for e in results)} of {len(results)} done,"
            f" {sum(e.done for e in changed)} of the {len(changed)} whose files they changed;"
            f" {sum(e.done_untouched for e in results)} done untouched;"
            f" {time.process_time() - begun:.0f} s of processor",
            flush=True,
        )


if __name__ == "__main__":
    main()
