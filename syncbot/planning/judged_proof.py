"""Whether rewritten sources are sound: the same judges asked again, on the rewritten backend.

Two looks. Going from the old upstream to the new one, nothing may break that did not, and what a rewrite
answers may break no more. In the new upstream's tree alone, every contract has to find what it needs. Where
names moved, the first look is taken before the moves are written: the judges follow a moved name from its
old place only. A contract that lacked something in the new tree before, and still does, is not newly broken
if it is something else now: of several missing arguments only some are told.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from syncbot.api.extract import parse
from syncbot.api.universe import Universe
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.model import Finding, Verdict
from syncbot.contracts.registry import audit_of
from syncbot.contracts.sources import Backend, SourceFile
from syncbot.impact.analysis import impact_id
from syncbot.impact.engine import findings
from syncbot.impact.model import Impact
from syncbot.impact.trees import Trees

#: The file, scope and symbol of contracts.
Reliance = tuple[str, str, str]

#: What type checkers find in a backend between the two ends.
Checker = Callable[[Backend], Sequence[Impact]]


@dataclass(frozen=True, slots=True)
class Broken:
    """One finding that breaks, without its line: the kind of change, symbol, subject, file and scope, and the
    symbol that its contract names."""

    kind: str
    symbol: str
    subject: str
    file: str
    scope: str
    contract: str


@dataclass(frozen=True)
class Look:
    """What the judges say of one state of the backend: what breaks, the words of what the new tree lacks, and
    what contracts it keeps."""

    broken: Counter[Broken]
    unkept: Mapping[Reliance, Counter[str]]
    kept: frozenset[Reliance]
    typed: frozenset[tuple[str, str]]


def rewritten(backend: Backend, texts: Mapping[str, str]) -> Backend:
    """The backend with other texts in some of its files."""
    return Backend(
        backend.root,
        tuple(
            SourceFile(f.path, f.module, texts[f.path].encode(), f.is_test) if f.path in texts else f
            for f in backend.files
        ),
    )


class Judge:
    """Judges states of one backend between the ends of a range.

    ``touched`` are the files that may be rewritten. Asked are their contracts, and those of the files that
    import one of their modules or say its whole name; all others cannot see the difference.
    """

    def __init__(
        self, trees: Trees, old: str, new: str, touched: Collection[str], checker: Checker | None = None
    ) -> None:
        self._trees = trees
        self._old, self._new = old, new
        self._checker = checker
        self._known: dict[tuple[tuple[str, str], ...], list[Finding]] = {}
        modules = {f.module for f in trees.backend.files if f.path in touched}
        self._asked = frozenset(
            f.path
            for f in trees.backend.files
            if f.path in touched or any(m.encode() in f.text for m in modules) or _imported(f) & modules
        )

    def _with(self, texts: Mapping[str, str]) -> tuple[Trees, Backend]:
        """The trees with other texts, and the whole backend that they know the names of."""
        whole = rewritten(self._trees.backend, texts)
        return self._trees.with_backend(whole, self._asked), whole

    def look(self, texts: Mapping[str, str], unmoved: Mapping[str, str], typed: bool) -> Look:
        """The state with these texts; ``unmoved`` are those without the moves, ``typed`` asks the type
        checkers too."""
        found = self._breaking(unmoved)
        trees, whole = self._with(texts)
        if unmoved != texts:
            moved = self._breaking(texts)
            # A move that was written is no finding any more; one that was not still is.
            left = {_broken(f) for f in moved}
            found = [f for f in found if not _is_move(f) or _broken(f) in left]
            found += [f for f in moved if _broken(f) not in {_broken(g) for g in found}]
        checked = self._checker(whole) if typed and self._checker is not None else ()
        unkept, kept = self._unkept(trees, trees.universe(trees.tree(self._new)))
        if not texts:
            # What a name that moved hides from the new tree alone was there before its import is rewritten.
            hidden, seen = self._unkept(trees, trees.comparison(self._old, self._new).new)
            for key, words in hidden.items():
                unkept[key] = unkept.get(key, Counter()) | words
            kept |= seen
        return Look(
            Counter(map(_broken, found)),
            unkept,
            frozenset(kept),
            frozenset((i.id, p.file) for i in checked if i.verdict is Verdict.BREAKS for p in i.locations),
        )

    def _breaking(self, texts: Mapping[str, str]) -> list[Finding]:
        """What breaks between both ends with these texts; asked once, for what is refused leaves the rest."""
        key = tuple(sorted(texts.items()))
        if key not in self._known:
            found = findings(self._with(texts)[0], self._old, self._new)
            self._known[key] = [f for f in found if f.verdict is Verdict.BREAKS]
        return self._known[key]

    def _unkept(self, trees: Trees, universe: Universe) -> tuple[dict[Reliance, Counter[str]], set[Reliance]]:
        unkept: dict[Reliance, Counter[str]] = {}
        kept: set[Reliance] = set()
        for contract in trees.contracts(universe):
            audit = audit_of(contract)
            if audit is None:
                continue
            problems = Counter(audit(contract, universe))
            key = (contract.place.location.file, contract.place.scope, contract.symbol)
            if problems:
                unkept[key] = unkept.get(key, Counter()) + problems
            else:
                kept.add(key)
        return unkept, kept


def _imported(file: SourceFile) -> set[str]:
    """The modules that a file may import, by their whole names; none of one that is not valid Python."""
    found: set[str] = set()
    nodes: list[ast.AST] = []
    with suppress(SyntaxError, ValueError, RecursionError):
        nodes = list(ast.walk(parse(file.text)))
    package = file.module if file.path.endswith("__init__.py") else file.module.rpartition(".")[0]
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            around = package.split(".")[: max(0, package.count(".") + 2 - node.level)] if node.level else []
            module = ".".join([*around, *([node.module] if node.module else [])])
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return found


def remaining(impact: Impact, look: Look) -> bool:
    """Whether an impact is still there, in one of the files that it named."""
    files = {place.file for place in impact.locations}
    names = {
        impact_id(impact.commit, b.kind, b.symbol, b.subject, impact.tests_only)
        for b in look.broken
        if b.file in files
    }
    return impact.id in names or any((impact.id, file) in look.typed for file in files)


def worse(before: Look, after: Look) -> list[tuple[str, str, str]]:
    """What breaks now and did not: each with its file, symbol and words."""
    new = [
        (b.file, b.symbol, f"{b.kind} {b.subject}")
        for b in after.broken - before.broken
        if not _lacked(before, (b.file, b.scope, b.contract))
        or (b.file, b.scope, b.contract) not in after.unkept
    ]
    for key, words in after.unkept.items():
        if not _lacked(before, key):
            fresh = words - before.unkept.get(key, Counter())
            new += [(key[0], "", problem) for problem in fresh]
    return new


def _lacked(look: Look, key: Reliance) -> bool:
    """Whether all contracts of one kind were lacking something already."""
    return key in look.unkept and key not in look.kept


def _broken(finding: Finding) -> Broken:
    place = finding.contract.place
    symbol = finding.contract.symbol
    return Broken(finding.kind, finding.symbol, finding.subject, place.location.file, place.scope, symbol)


def _is_move(finding: Finding) -> bool:
    # What is imported from elsewhere now may have been seen as gone.
    return finding.kind in (
        ChangeKind.SYMBOL_MOVED, ChangeKind.MODULE_MOVED, ChangeKind.SYMBOL_RENAMED,
        ChangeKind.SYMBOL_REMOVED, ChangeKind.MODULE_REMOVED,
    )  # fmt: skip
