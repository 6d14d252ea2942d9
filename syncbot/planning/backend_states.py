"""States of a backend while it is rewritten: what breaks in each, and what it lacks of the new upstream. The
contracts of a file are looked for anew only where its text differs from the state before, or where it names
something that another file defines or imports differently now. All other files have what they had."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

from syncbot.api.model import ModuleTable
from syncbot.api.tree import ModuleTree, look
from syncbot.api.universe import Universe
from syncbot.contracts.dependency_keys import other_answers
from syncbot.contracts.discovery import Found
from syncbot.contracts.kinds.patches import PatchContract
from syncbot.contracts.model import Contract, Finding, Verdict
from syncbot.contracts.registry import audit_of, audited_kinds
from syncbot.contracts.sources import SourceFile
from syncbot.impact.accelerator import Accelerator, Range
from syncbot.impact.contract_findings import judged
from syncbot.impact.trees import Trees

#: The file, scope and symbol of contracts.
Reliance = tuple[str, str, str]


@dataclass(frozen=True)
class Lacking:
    """The words of what one upstream tree lacks, and the contracts that it keeps."""

    unkept: dict[Reliance, Counter[str]]
    kept: frozenset[Reliance]


@dataclass(frozen=True)
class _Known(Accelerator):
    """The contracts of files by path: those that are not there are walked, and are there then. ``kinds``, if
    any, are those alone that they are walked for."""

    contracts: dict[str, Sequence[Contract]]
    kinds: Collection[type[Contract]] | None = None

    def kept(self, universe: Universe, /) -> Mapping[str, Sequence[Contract]]:
        """Those that are there, in any universe: the others are asked for."""
        return self.contracts

    def finish(self, universe: Universe, found: Mapping[str, Found], /) -> None:
        """Keep what was found."""
        self.contracts.update((path, each.contracts) for path, each in found.items())


class BackendState:
    """The backend of some trees, with the texts of a state, between two commits of upstream."""

    def __init__(self, trees: Trees, old: str, new: str, texts: Mapping[str, str]) -> None:
        self._old, self._new = old, new
        files = trees.backend.files
        self.backend = replace(trees.backend, files=tuple(_with(f, texts.get(f.path)) for f in files))
        self._before = trees
        self._findings: dict[str, list[Finding]] = {}

    @property
    def differing(self) -> Set[str]:
        """The files whose contracts may differ from those of the state before."""
        return frozenset()

    def _kept(self) -> dict[str, Sequence[Contract]]:
        """The contracts by file that are those of the state before."""
        before = self._before
        return dict(before.accelerator.kept(before.universe(before.tree(self._old))))

    @cached_property
    def _walked(self) -> tuple[Trees, list[Contract], _Known]:
        """The trees of this state, and all contracts with the old upstream, also by file."""
        known = _Known(self._kept())
        trees = self._before.with_backend(self.backend, known)
        universe = trees.universe(trees.tree(self._old))
        contracts = trees.contracts(universe, self._new)
        universe.close()
        return trees, contracts, known

    @property
    def contracts(self) -> Mapping[str, Sequence[Contract]]:
        """The contracts with the old upstream by file, those that reach the backend's own included."""
        return self._walked[2].contracts

    def breaking(self, files: Set[str]) -> list[Finding]:
        """Return the findings that break some files between both commits."""
        missing = files - self._findings.keys()
        if missing:
            trees, contracts, _ = self._walked
            pair = trees.comparison(self._old, self._new)
            asked: dict[str, list[Contract]] = {path: [] for path in missing}
            concerned = [c for c in contracts if c.place.location.file in missing]
            ends = Range(self._old, self._new, (), trees.tree)
            known = self._before.accelerator.judgements(concerned, pair, ends)
            for place, contract in enumerate(concerned):
                if not known.is_kept(place):
                    asked[contract.place.location.file].append(contract)
            for path, those in asked.items():
                self._findings[path] = [f for f in judged(those, pair) if f.verdict is Verdict.BREAKS]
            pair.close()
        return [finding for path in sorted(files) for finding in self._findings[path]]

    def lacking(self, files: Set[str]) -> Lacking:
        """Return the needs of some files that the new upstream alone lacks, and the contracts it keeps."""
        return self._audited(files, lambda trees: trees.universe(trees.tree(self._new)))

    def lacking_moved(self, files: Set[str]) -> Lacking:
        """The same where names that moved are followed to their new places."""
        return self._audited(files, lambda trees: trees.comparison(self._old, self._new).new)

    def _audited(self, files: Set[str], seen_in: Callable[[Trees], Universe]) -> Lacking:
        if not files:
            return Lacking({}, frozenset())
        universe = seen_in(trees := self.walking(files))
        found = _lacking(trees.contracts(universe, self._new), universe, files)
        universe.close()
        return found

    def walking(self, files: Set[str]) -> Trees:
        """Trees that walk some files alone, in whatever universe, for what one upstream tree can be asked."""
        others = {path: found for path, found in self.contracts.items() if path not in files}
        # Calls that reach what the backend puts somewhere are no contracts.
        known = _Known(others, (*audited_kinds(), PatchContract))
        return self._before.with_backend(self.backend, known)


class RewrittenState(BackendState):
    """The state after another one, from which it differs in some texts."""

    def __init__(
        self, trees: Trees, old: str, new: str, texts: Mapping[str, str], before: BackendState
    ) -> None:
        super().__init__(trees, old, new, texts)
        self._last = before

    @cached_property
    def differing(self) -> Set[str]:
        """The rewritten files, and those that name what these define or import differently now."""
        trees = [state.backend.tree(self._before.tables) for state in (self._last, self)]
        pairs = zip(self._last.backend.files, self.backend.files, strict=True)
        changed = {now.path: now.module for was, now in pairs if was.text != now.text}
        said = {module: _said_otherwise(module, *trees) for module in changed.values()}
        return changed.keys() | {
            file.path
            for file in self.backend.files
            if any(names and _sees(file, module, names, trees[1]) for module, names in said.items())
        }

    def _kept(self) -> dict[str, Sequence[Contract]]:
        differing = self.differing
        return {path: found for path, found in self._last.contracts.items() if path not in differing}

    def breaking(self, files: Set[str]) -> list[Finding]:
        """Return the findings that break some files; a file that does not differ keeps its old ones."""
        return [*self._last.breaking(files - self.differing), *super().breaking(files & self.differing)]


def reliance(contract: Contract) -> Reliance:
    """Return the key under which a contract is counted: its file, scope and symbol."""
    return contract.place.location.file, contract.place.scope, contract.symbol


def _with(file: SourceFile, text: str | None) -> SourceFile:
    return file if text is None else SourceFile(file.path, file.module, text.encode(), file.is_test)


def _lacking(contracts: Iterable[Contract], universe: Universe, files: Set[str]) -> Lacking:
    unkept: dict[Reliance, Counter[str]] = {}
    kept: set[Reliance] = set()
    for contract in contracts:
        audit = audit_of(contract) if contract.place.location.file in files else None
        if audit is None:
            continue
        problems = Counter(audit(contract, universe))
        key = reliance(contract)
        if problems:
            unkept[key] = unkept.get(key, Counter()) + problems
        else:
            kept.add(key)
    return Lacking(unkept, frozenset(kept))


def _said_otherwise(module: str, before: ModuleTree, after: ModuleTree) -> set[str]:
    """The names at the top of a module that it defines or imports differently in two trees."""
    tables = [tree.table(module) for tree in (before, after)]
    asked = {look(module, each) for table in tables if table is not None for each in _names(table)}
    different = other_answers(asked, before, after)
    return {each.partition(":")[2].partition(".")[0] for each in different}


def _names(table: ModuleTable) -> Iterator[str]:
    yield from (variable.name for variable in table.variables)
    yield from (function.name for function in table.functions)
    for made in table.classes:
        yield from (made.name, f"{made.name}.*")
    yield from (item.local for item in table.imports)


def _sees(file: SourceFile, module: str, names: Set[str], tree: ModuleTree) -> bool:
    """Whether a file imports one of some names of a module, or says one behind the module's name."""
    said = {module}
    table = tree.table(file.module)
    for item in table.imports if table is not None else ():
        home = tree.absolute(file.module, item.level, item.module)
        if home == module and (item.name in names or "*" in (item.name, *names)):
            return True
        if module in (home, f"{home}.{item.name}"):
            said.add(item.local)
    # A text that names the module alone may name the rest elsewhere.
    quoted = any(f"{module}{end}".encode() in file.text for end in "\"'")
    return any(f"{each}.{name}".encode() in file.text for each in said for name in names) or (
        quoted and any(name.encode() in file.text for name in names)
    )
