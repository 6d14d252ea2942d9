"""Since which commit of the main line of an upstream something is so."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from syncbot.impact.trees import Trees
from syncbot.upstream.model import Commit


def since(trees: Trees, symbol: str, old: str, new: str, holds: Callable[[str], bool]) -> Commit | None:
    """The commit of ``old..new`` that made ``holds``, which is asked with shas, answer as it does at ``new``.

    Only the line of first parents that ends in ``new`` is looked at, and first those of its commits that
    touch the file of ``symbol``. None where no commit of it turned the answer: it was so before the line
    left that of ``old``, as for what release branches pick from elsewhere.
    """
    line = _line(trees.repository.commits(old, new), new)
    files = {path for commit in (old, new) if (path := _file(trees, symbol, commit)) is not None}
    near = [c for c in line if any(files & {f.old_path, f.new_path} for f in c.files)]
    wanted = holds(new)
    for candidates in (near, line):
        found = _first(candidates, lambda commit: holds(commit.sha) is wanted)
        if found is not None and found.parents and holds(found.parents[0]) is not wanted:
            return found
    return None


def _line(commits: Sequence[Commit], end: str) -> list[Commit]:
    """Those commits that lead to the end by first parents, oldest first."""
    known = {commit.sha: commit for commit in commits}
    line = []
    at = known.get(end)
    while at is not None:
        line.append(at)
        at = known.get(at.parents[0]) if at.parents else None
    return line[::-1]


def _file(trees: Trees, symbol: str, commit: str) -> str | None:
    """The path of the module that defines a symbol at a commit."""
    tree = trees.tree(commit)
    found = trees.universe(tree).resolve(symbol)
    return tree.path(found.module) if found is not None else None


def _first(commits: Sequence[Commit], holds: Callable[[Commit], bool]) -> Commit | None:
    """The first of some commits since which something holds up to the last, halving them."""
    if not commits or not holds(commits[-1]):
        return None
    low, high = 0, len(commits) - 1
    while low < high:
        middle = (low + high) // 2
        if holds(commits[middle]):
            high = middle
        else:
            low = middle + 1
    return commits[high]
