"""Read the symbol tables of every Python file that a range of upstream commits touches: cold, then again.

    python benchmarks/index.py GIT_DIR --old REF --new REF --package vllm

Prints commits, blobs, seconds and memory of both runs.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

from syncbot.api import extract, model, signatures, usage
from syncbot.api.cache import TableCache, source_digest
from syncbot.upstream.git_repository import GitRepository

_PART = 2000


def blobs(repository: GitRepository, old: str, new: str, package: str) -> tuple[int, list[str]]:
    """The number of commits of a range, and the blobs below ``package`` of its start and its commits."""
    found = [e.blob for p, e in repository.tree(old, (package,)).items() if p.endswith(".py")]
    commits = repository.commits(old, new)
    for commit in reversed(commits):
        for change in commit.files:
            path = change.new_path or ""
            if change.new_blob and path.startswith(f"{package}/") and path.endswith(".py"):
                found.append(change.new_blob)
    return len(commits), list(dict.fromkeys(found))


def index(repository: GitRepository, wanted: list[str], cache: Path) -> None:
    """Let the cache have the tables of all blobs; few are in memory at any time."""
    version = source_digest(extract, model, signatures, usage)
    for start in range(0, len(wanted), _PART):
        tables = TableCache(cache, "modules", version, extract.extract, model.ModuleTable)
        for blob in wanted[start : start + _PART]:
            tables.get(blob, repository.blob)
        tables.close()


def main() -> None:
    """Index twice and print what it took."""
    parser = argparse.ArgumentParser(prog="index.py", description=__doc__.partition("\n")[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--old", required=True)
    parser.add_argument("--new", required=True)
    parser.add_argument("--package", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, GitRepository(options.repository) as repository:
        old, new = repository.resolve(options.old), repository.resolve(options.new)
        for run in ("cold", "again"):
            start = time.perf_counter()
            commits, wanted = blobs(repository, old, new, options.package)
            index(repository, wanted, Path(folder))
            seconds = time.perf_counter() - start
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            print(f"{run:6}{commits:7} commits {len(wanted):7} blobs {seconds:8.1f} s {memory:6} MB")


if __name__ == "__main__":
    main()
