"""Several module trees as one, and what was looked at in them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from syncbot.api.model import ModuleTable
from syncbot.api.tree import ModuleTree


class SeveralTrees:
    """Trees of which each owns other names. Where several own a top-level package, a name in it is of the one
    that has its module, or most of the way there; of the first one if that tells nothing."""

    def __init__(self, trees: Sequence[ModuleTree]) -> None:
        self.trees = tuple(trees)
        self._owners: dict[str, list[ModuleTree]] = {}
        for tree in self.trees:
            for package in dict.fromkeys(tree.packages):
                self._owners.setdefault(package, []).append(tree)

    def tree_of(self, module: str) -> ModuleTree | None:
        """The tree that owns a dotted name."""
        owners = self._owners.get(module.partition(".")[0])
        if owners is None:
            return None
        return owners[0] if len(owners) == 1 else max(owners, key=lambda tree: tree.reach(module))

    def shared(self, package: str) -> bool:
        """Whether several trees own a top-level package."""
        return len(self._owners.get(package, ())) > 1

    def table(self, module: str) -> ModuleTable | None:
        """The interface table of a module of any tree."""
        tree = self.tree_of(module)
        return None if tree is None else tree.table(module)

    def source(self, module: str) -> bytes | None:
        """The text of a module of any tree."""
        tree = self.tree_of(module)
        return None if tree is None else tree.source(module)

    def watch(self) -> Watch:
        """Records what is looked at in the trees, so that a kept answer can be given with :meth:`replay`."""
        return Watch(self.trees)

    def replay(self, looks: Collection[str]) -> None:
        """Count a look at everything that a kept answer was derived from."""
        for tree in self.trees:
            tree.note(looks)


class Watch:
    """Records what is looked at in several trees, also when the result is cached later."""

    def __init__(self, trees: Sequence[ModuleTree]) -> None:
        self._trees = trees
        self._sets: list[set[str]] = []

    def __enter__(self) -> Watch:
        self._sets = [tree.start_recording() for tree in self._trees]
        return self

    def __exit__(self, *_: object) -> None:
        for tree, seen in zip(self._trees, self._sets, strict=True):
            tree.stop_recording(seen)

    def __call__(self) -> set[str]:
        """All that was looked at."""
        return set().union(*self._sets)
