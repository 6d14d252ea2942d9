"""Holds what is kept of a backend against what is found anew, commit by commit of the backend.

usage: python benchmarks/kept_contracts.py REPOSITORY SPAN UPSTREAM PACKAGE COMMIT...

REPOSITORY is the backend's, SPAN a range of its commits as git writes it (``v1..v2``, of which the first
parents are taken), UPSTREAM a git repository of PACKAGE, of which the COMMITs are asked by turns. One line a
commit: the files that were walked, the contracts, whether both ways find the same ones in the same order, and
the seconds of each. The exit code is 1 where they do not.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path

from syncbot.api.universe import Universe
from syncbot.contracts.discovery import Found
from syncbot.contracts.model import Contract
from syncbot.contracts.source_files import read_backend
from syncbot.contracts.sources import Backend
from syncbot.impact.accelerator import Accelerator
from syncbot.impact.caching.contract_cache import ContractCache
from syncbot.impact.caching.table_caches import table_caches
from syncbot.impact.trees import Trees
from syncbot.impact.word_caches import WordCaches
from syncbot.upstream.git_repository import GitRepository


class OnlyKept(Accelerator):
    """Answers with what is kept on disk, and counts what was walked."""

    def __init__(self, cache: ContractCache) -> None:
        self._cache = cache
        self.walked = 0

    def kept(self, universe: Universe, /) -> Mapping[str, Sequence[Contract]]:
        """Answer from disk."""
        return self._cache.kept(universe)

    def finish(self, universe: Universe, found: Mapping[str, Found], /) -> None:
        """Keep what was walked."""
        self.walked = len(found)
        self._cache.keep(universe, found)


def laid_out(repository: str, commit: str, folder: Path) -> Backend:
    """The backend as it is at a commit."""
    packed = folder / "sources.tar"
    subprocess.run(["git", "-C", repository, "archive", f"--output={packed}", commit], check=True)
    subprocess.run(["tar", "-xf", packed, "-C", folder], check=True)
    return read_backend(folder, (), ("tests",))


def told(repository: str, *question: str) -> list[str]:
    """Return git's answer about a repository, word by word."""
    command = ["git", "-C", repository, *question]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def main() -> None:
    """Go through the commits that the command line names."""
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    repository, span, upstream, package, *asked = sys.argv[1:]
    gc.disable()
    commits = told(repository, "rev-list", "--first-parent", "--reverse", span)
    ends = told(upstream, "rev-parse", *asked)
    differing = 0
    with GitRepository(Path(upstream)) as followed, tempfile.TemporaryDirectory() as cache:
        tables = table_caches(Path(cache) / "tables")
        words = WordCaches.kept(Path(cache) / "tables")
        for commit, end in zip(commits, cycle(ends), strict=False):
            with tempfile.TemporaryDirectory() as folder:
                backend = laid_out(repository, commit, Path(folder))
                names = partial(words.defined_in, backend)
                contracts = ContractCache(Path(cache) / "contracts", "kept", commit, backend, names)
                helper = OnlyKept(contracts)
                begun = time.perf_counter()
                trees = Trees(followed, (package,), backend, *tables, accelerator=helper, words=words)
                kept = trees.contracts(trees.universe(trees.tree(end)))
                contracts.write()
                between = time.perf_counter()
                trees = Trees(followed, (package,), backend, *tables, words=words)
                anew = trees.contracts(trees.universe(trees.tree(end)))
                seconds = between - begun, time.perf_counter() - between
            differing += kept != anew
            outcome = "the same" if kept == anew else "DIFFERENT"
            print(
                f"{commit[:10]} {end[:10]} {helper.walked:4} of {len(backend.files)} files walked, "
                f"{len(anew)} contracts, {outcome}; {seconds[0]:.1f} and {seconds[1]:.1f} s",
                flush=True,
            )
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
