"""The upstream change behind an impact, as a short diff that a person can check."""

from __future__ import annotations

import difflib

from syncbot.api.model import Class, Function
from syncbot.api.universe import Symbol, Universe
from syncbot.impact.model import Impact
from syncbot.impact.trees import Trees
from syncbot.upstream.model import Commit

LINES = 40


def upstream_hunk(trees: Trees, impact: Impact, commit: Commit) -> str:
    """The unified diff of the impact's symbol between a commit's first parent and the commit.

    At most ``LINES`` lines; empty where the symbol's own text did not change there (a moved module, a new
    caller elsewhere) or the commit has no parent.
    """
    if not commit.parents:
        return ""
    before = trees.universe(trees.tree(commit.parents[0]))
    after = trees.universe(trees.tree(commit.sha))
    old, new = _text(before, impact.symbol), _text(after, impact.symbol)
    if old == new:
        return ""
    diff = list(difflib.unified_diff(old, new, impact.symbol, impact.symbol, n=2, lineterm=""))
    cut = [*diff[:LINES], f"… {len(diff) - LINES} more lines"] if len(diff) > LINES else diff
    return "\n".join(cut)


def _text(universe: Universe, name: str) -> list[str]:
    """The lines of a definition; of a vanished member, those of its class."""
    found = universe.resolve(name)
    if found is None or not _spans(found):
        parent = universe.resolve(name.rpartition(".")[0])
        found = parent if parent is not None and parent.kind == "class" else None
    tree = universe.tree_of(found.module) if found is not None else None
    source = tree.source(found.module) if tree is not None and found is not None else None
    if found is None or source is None:
        return []
    lines = source.decode("utf-8", "replace").splitlines()
    return [line for first, last in _spans(found) for line in lines[first - 1 : last]]


def _spans(symbol: Symbol) -> list[tuple[int, int]]:
    return [(n.line, n.end_line) for n in symbol.nodes if isinstance(n, Class | Function)]
