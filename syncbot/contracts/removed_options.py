"""Options that upstream has no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from syncbot.api.options import Options, options
from syncbot.api.tree import BlobValues, ModuleTree
from syncbot.contracts.comparison import Comparison


def dropped(
    pair: Comparison, marker: str, names: Sequence[str], defines: Callable[[Options], bool]
) -> str | None:
    """A module that defined an option before, if none does now: such have ``marker`` and a name."""
    old, new = pair.mentioning(marker)
    before = _defining(pair.old_tree, pair.options, old, names, defines)
    if not before or _defining(pair.new_tree, pair.options, new, names, defines):
        return None
    same = [m for m in pair.new_tree.modules if pair.old_tree.blob(m) == pair.new_tree.blob(m)]
    if _defining(pair.new_tree, pair.options, same, names, defines):
        return None
    pair.old_tree.note(before)
    pair.new_tree.note(before)
    return before[0]


def _defining(
    tree: ModuleTree,
    kept: BlobValues[Options],
    modules: Sequence[str],
    names: Sequence[str],
    defines: Callable[[Options], bool],
) -> list[str]:
    found = ((module, tree.derived(module, kept)) for module in tree.mentioning(modules, *names))
    return [module for module, known in found if known is not None and defines(known)]


@lru_cache(maxsize=1)
def flags_of(tree: ModuleTree) -> frozenset[str]:
    """All flags that the modules of a tree define."""
    sources = (tree.source(module) for module in tree.mentioning(tree.modules, "add_argument"))
    return frozenset(flag for source in sources if source is not None for flag in options(source).flags)
