"""Since which commit of the main line of an upstream something is so."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from syncbot.impact.trees import Trees
from syncbot.upstream.commit_range import first_parent_line
from syncbot.upstream.model import Commit


def first_commit_where(
    trees: Trees, symbol: str, old: str, new: str, holds: Callable[[str], bool]
) -> Commit | None:
    """The commit that made ``holds`` answer as it does at ``new``, None if none did. Only first parents
    count; commits that touch the file of ``symbol`` are tried first."""
    line = first_parent_line(trees.repository.commits(old, new), new)
    files = {path for commit in (old, new) if (path := _file(trees, symbol, commit)) is not None}
    near = [c for c in line if any(files & {f.old_path, f.new_path} for f in c.files)]
    wanted = holds(new)
    for candidates in (near, line):
        if not candidates or holds(candidates[-1].sha) is not wanted:
            continue
        last = len(candidates) - 1
        found = candidates[
            bisect_left(candidates, True, hi=last, key=lambda commit: holds(commit.sha) is wanted)
        ]
        if found.parents and holds(found.parents[0]) is not wanted:
            return found
    return None


def _file(trees: Trees, symbol: str, commit: str) -> str | None:
    """The path of the module that defines a symbol at a commit."""
    tree = trees.tree(commit)
    found = trees.universe(tree).resolve(symbol)
    return tree.path(found.module) if found is not None else None
