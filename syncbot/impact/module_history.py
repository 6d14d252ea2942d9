"""Which commits of a range touch which modules."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from syncbot.impact.trees import Trees
from syncbot.upstream.model import Commit

_PYTHON = (".py", ".pyi")


@dataclass(frozen=True, slots=True)
class ModuleHistory:
    """By module the places of commits that touch it, oldest first, with its blob (or None) after."""

    places: Mapping[str, Sequence[int]]
    blobs: Mapping[str, Sequence[str | None]]

    def blobs_at(self, modules: Iterable[str], place: int) -> Iterator[str]:
        """Yield the blobs of some modules at a commit; with merges in the range, perhaps on another line."""
        for module in modules:
            before = bisect_right(self.places[module], place)
            blob = self.blobs[module][before - 1] if before else None
            if blob is not None:
                yield blob


def module_history(trees: Trees, commits: Sequence[Commit], old: str, new: str) -> ModuleHistory:
    """Return the modules that the commits of a range touch; ``commits`` are oldest first."""
    before, after = trees.tree(old), trees.tree(new)
    known: dict[str, set[str]] = {}
    places: dict[str, list[int]] = {}
    blobs: dict[str, list[str | None]] = {}
    for place, commit in enumerate(commits):
        now = {f.new_path: f.new_blob for f in commit.files if f.new_path and f.new_path.endswith(_PYTHON)}
        names: dict[str, str | None] = {}
        for path in commit.paths:
            if path not in known:
                known[path] = {n for n in (before.module_at(path), after.module_at(path)) if n}
            found = known[path]
            if not found and path.endswith(_PYTHON) and (before.named(path) or after.named(path)):
                # Born and gone inside the range: known by the tree of the commit itself.
                name = trees.tree(commit.sha).module_at(path)
                found = {name} if name else set()
            names.update((name, now.get(path) or names.get(name)) for name in found)
        for name, blob in names.items():
            places.setdefault(name, []).append(place)
            blobs.setdefault(name, []).append(blob)
    return ModuleHistory(places, blobs)
