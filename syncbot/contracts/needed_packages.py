"""Packages of others that have to be there when the backend imports upstream."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

from packaging.utils import canonicalize_name

from syncbot.api.import_closure import runs, sources
from syncbot.api.import_lines import ImportLines
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
    """The packages that the backend's imports of the new upstream need and those of the old one did not,
    among those that upstream requires in some of its installs only."""

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
        self._lines = ImportLines()

    @cached_property
    def new(self) -> Mapping[str, tuple[Need, ...]]:
        """By module of the backend, the first one that leads there."""
        wanted = set(self._partly()) - set(self._here)
        wanted -= self._imported_here(wanted)
        if not wanted:
            return {}
        before = {canonicalize_name(need.package) for need in self._needs(self._old, wanted)}
        found: dict[str, tuple[Need, ...]] = {}
        for need in self._needs(self._new, wanted - before):
            # Lines alone may be of a text, and a table tells for sure: few are asked for.
            if self._begins(need) and _is_led(self._new, need):
                found[need.own] = (*found.get(need.own, ()), need)
        return found

    def _imported_here(self, wanted: Collection[str]) -> set[str]:
        """Those of some packages that the backend itself imports without any condition."""
        found = set[str]()
        for module in self._own.modules:
            if module in self._tests:
                continue
            said = {_package(bound) for bound in self._lines_of(self._own, module)}
            if not said.isdisjoint(wanted):
                found.update(map(_package, _plain(self._own, module)))
        return found

    def _begins(self, need: Need) -> bool:
        """Whether the backend's module imports the first one of the chain whenever it is imported."""
        first = need.chain[0]
        return any(
            f"{name}.".startswith(f"{first}.")
            for bound in _plain(self._own, need.own)
            for name in sources(self._own, need.own, bound)
        )

    def _needs(self, tree: ModuleTree, wanted: Collection[str]) -> Iterator[Need]:
        """The first need of each wanted package, as the lines of the sources tell it."""
        seen, told = set[str](), set[str]()
        for own in sorted(self._own.modules):
            if own in self._tests:
                continue
            lines = self._lines_of(self._own, own)
            starts = ((name,) for b in lines for name in sources(self._own, own, b))
            for chain in self._reached(tree, starts, seen):
                for bound in self._lines_of(tree, chain[-1]):
                    package = _package(bound)
                    if package in wanted and package not in told:
                        told.add(package)
                        yield Need(bound.module.partition(".")[0], own, chain)

    def _reached(
        self, tree: ModuleTree, starts: Iterable[tuple[str, ...]], seen: set[str]
    ) -> Iterator[tuple[str, ...]]:
        """The modules of a tree that are imported with some others and were not ``seen`` yet, each with the
        chain that leads to it."""
        waiting = deque(starts)
        while waiting:
            chain = waiting.popleft()
            name = chain[-1]
            # An import runs, sources the packages around as well.
            while name and name not in seen:
                seen.add(name)
                if name in tree.modules:
                    here = (*chain[:-1], name)
                    yield here
                    others = (n for b in self._lines_of(tree, name) for n in sources(tree, name, b))
                    waiting.extend((*here, other) for other in others if other not in seen)
                name = name.rpartition(".")[0]

    def _lines_of(self, tree: ModuleTree, module: str) -> tuple[Import, ...]:
        return tree.derived(module, self._lines) or ()


def _package(bound: Import) -> str:
    """The distribution that seems to have what is imported; empty for what stands beside."""
    return _canonical(bound.module.partition(".")[0]) if not bound.level else ""


@cache
def _canonical(name: str) -> str:
    return canonicalize_name(name)


def _is_led(tree: ModuleTree, need: Need) -> bool:
    """Whether each module of a chain imports the next one, or a part of it, whenever it is imported."""
    for module, following in pairwise((*need.chain, need.package)):
        names = {name for bound in _plain(tree, module) for name in sources(tree, module, bound)}
        if not any(f"{name}.".startswith(f"{following}.") for name in names):
            return False
    return True


def _plain(tree: ModuleTree, module: str) -> Iterator[Import]:
    """The imports that run whenever a module is imported."""
    table = tree.table(module)
    for bound in table.imports if table is not None else ():
        if runs(bound) and not bound.guards:
            yield bound
