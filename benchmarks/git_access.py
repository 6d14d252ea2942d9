"""Git's own commands against GitPython's objects: python benchmarks/git_access.py REPOSITORY

Reads the same blobs, lists the same range of commits with the files that each changes, and the same tree,
both ways, and says what importing GitPython costs. Each figure is the best of three runs.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import click
from git import Blob, Commit, IndexFile, Submodule, Tree

from syncbot.upstream.git_command import GitCommand
from syncbot.upstream.git_mirror import local_git_dir
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.writable_repository import WritableRepository


def best(task: Callable[[], object]) -> float:
    """The seconds of the fastest of three runs."""
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _members(commit: Commit) -> list[Blob | Tree | Submodule]:
    return [each for each in commit.tree.traverse() if isinstance(each, Blob | Tree | Submodule)]


@click.command()
@click.argument("repository", type=click.Path(path_type=Path))
@click.option("--blobs", default=5000, show_default=True, help="So many blobs are read.")
@click.option("--commits", default=500, show_default=True, help="So long is the range on first parents.")
def main(repository: Path, blobs: int, commits: int) -> None:
    """Print what each way takes, and how many times longer GitPython's is."""
    git_dir = local_git_dir(repository)
    head = subprocess.run(
        ["git", f"--git-dir={git_dir}", "rev-list", "--first-parent", f"--max-count={commits + 1}", "HEAD"],
        check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    new, old = head[0], head[-1]
    with GitRepository(git_dir) as plumbing, closing(WritableRepository(git_dir)) as objects:
        trees = (plumbing.tree(sha).items() for sha in head[:: max(commits // 10, 1)])
        chosen = dict.fromkeys(entry.blob for tree in trees for path, entry in tree if path.endswith(".py"))
        present = plumbing.present(chosen)
        wanted = [blob for blob in chosen if blob in present][:blobs]
        binary = [bytes.fromhex(blob) for blob in wanted]
        assert [text for _, text in plumbing.blobs(wanted)] == [objects.odb.stream(b).read() for b in binary]
        ranged = {commit.sha for commit in plumbing.commits(old, new)}
        assert ranged == {commit.hexsha for commit in objects.iter_commits(f"{old}..{new}")}
        rows = {
            f"{len(wanted):,} blobs": (
                lambda: list(plumbing.blobs(wanted)),
                lambda: [objects.odb.stream(blob).read() for blob in binary],
            ),
            f"{len(ranged):,} commits with their files": (
                lambda: plumbing.commits(old, new),
                lambda: [c.parents[0].diff(c) for c in objects.iter_commits(f"{old}..{new}")],
            ),
            "a tree": (
                lambda: plumbing.tree(new),
                lambda: [(b.path, b.hexsha, b.mode) for b in _members(objects.commit(new))],
            ),
        }
        if objects.working_tree_dir is not None:
            git, tree = GitCommand(git_dir), f"--work-tree={objects.working_tree_dir}"
            rows["the state of a working tree"] = (
                lambda: [git.run(tree, *words) for words in (("status", "-uno"), ("ls-files", "-z"))],
                lambda: [objects.index.diff(None), objects.index.diff("HEAD"), IndexFile(objects).entries],
            )
        for what, (ours, theirs) in rows.items():
            first, second = best(ours), best(theirs)
            click.echo(
                f"{what:32} git {first:7.3f} s  GitPython {second:7.3f} s  {second / first:5.1f} times"
            )
    for line in ("pass", "import git"):
        started = partial(subprocess.run, [sys.executable, "-c", line], check=True)
        seconds = best(started)
        click.echo(f"python -c {line!r:20} {seconds:7.3f} s")


if __name__ == "__main__":
    main()
