"""Packages of others that have to be there when the backend imports upstream."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from packaging.utils import canonicalize_name

from syncbot.api.import_closure import runs, sources
from syncbot.api.model import Import
from syncbot.api.tree import ModuleTree


@dataclass(frozen=True, slots=True)
class Need:
    """A package that is imported without any condition when the backend's module ``own`` is: by the last
    module of ``chain``, each of which imports the next one."""

    package: str
    own: str
    chain: tuple[str, ...]


class NeededPackages:
    """What the backend's imports of the new upstream need and those of the old one did not, among the
    packages that upstream requires in some of its installs only."""

    def __init__(
        self,
        old: ModuleTree,
        new: ModuleTree,
        own: ModuleTree,
        tests: Collection[str],
        partly_required: Callable[[], Collection[str]],
        required_here: Collection[str],
    ) -> None:
        self._old, self._new, self._own, self._tests = old, new, own, tests
        self._partly, self._here = partly_required, required_here

    @cached_property
    def new(self) -> Mapping[str, tuple[Need, ...]]:
        """By module of the backend, the first one that leads there."""
        wanted = set(self._partly()) - set(self._here)
        wanted -= {canonicalize_name(name) for name in self._imported_here()}
        # Most upgrades end here: nothing imports such a package.
        importing = self._new.mentioning(self._new.modules, *(w.replace("-", "_") for w in wanted))
        if not wanted or not importing:
            return {}
        before = {need.package for need in self._needs(self._old, wanted)}
        found: dict[str, tuple[Need, ...]] = {}
        for need in self._needs(self._new, wanted):
            if need.package not in before:
                found[need.own] = (*found.get(need.own, ()), need)
        return found

    def _imported_here(self) -> Iterator[str]:
        """The packages that the backend itself imports without any condition."""
        for module in self._own.modules:
            if module not in self._tests:
                yield from (bound.module.partition(".")[0] for bound in _plain(self._own, module))

    def _needs(self, tree: ModuleTree, wanted: Collection[str]) -> Iterator[Need]:
        """The first need of each wanted package."""
        seen, told = set[str](), set[str]()
        for own in sorted(self._own.modules):
            if own in self._tests:
                continue
            starts = ((name,) for b in _plain(self._own, own) for name in sources(self._own, own, b))
            for chain in _reached(tree, starts, seen):
                for bound in _plain(tree, chain[-1]):
                    package = bound.module.partition(".")[0] if not bound.level else ""
                    if canonicalize_name(package) in wanted and package not in told:
                        told.add(package)
                        yield Need(package, own, chain)


def _reached(
    tree: ModuleTree, starts: Iterable[tuple[str, ...]], seen: set[str]
) -> Iterator[tuple[str, ...]]:
    """The modules of a tree that are imported with some others and were not ``seen`` yet, each with the chain
    that leads to it."""
    waiting = list(starts)
    while waiting:
        chain = waiting.pop(0)
        name = chain[-1]
        # An import runs, sources the packages around as well.
        while name and name not in seen:
            seen.add(name)
            if name in tree.modules:
                here = (*chain[:-1], name)
                yield here
                others = (n for bound in _plain(tree, name) for n in sources(tree, name, bound))
                waiting.extend((*here, other) for other in others if other not in seen)
            name = name.rpartition(".")[0]


def _plain(tree: ModuleTree, module: str) -> Iterator[Import]:
    """The imports that run whenever a module is imported."""
    table = tree.table(module)
    for bound in table.imports if table is not None else ():
        if runs(bound) and not bound.guards:
            yield bound
