"""Whether rewritten sources are sound: the same judges asked again, on the rewritten backend. Two looks.
Going from the old upstream to the new one, nothing may break that did not, and what a rewrite answers may
break no more. In the new upstream's tree alone, every contract has to find what it needs. Where names moved,
the first look is taken before the moves are written: the judges follow a moved name from its old place only.
A contract that lacked something in the new tree before, and still does, is not newly broken if it is
something else now: of several missing arguments only some are told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.model import Finding, Verdict
from syncbot.contracts.sources import Backend
from syncbot.impact.analysis import impact_id
from syncbot.impact.model import Impact
from syncbot.impact.trees import Trees
from syncbot.planning.backend_states import BackendState, Reliance, RewrittenState

_Texts: TypeAlias = tuple[tuple[str, str], ...]

#: What type checkers find in a backend between the two ends.
Checker = Callable[[Backend], Sequence[Impact]]


@dataclass(frozen=True, slots=True)
class Broken:
    """One finding that breaks, without its line: the kind of change, symbol, subject and meaning, file and
    scope, and the symbol that its contract names."""

    kind: str
    symbol: str
    subject: str
    meaning: str
    file: str
    scope: str
    contract: str


@dataclass(frozen=True)
class Look:
    """The judges' view of one state of the backend: its breaks, the words for everything that the new tree
    lacks, and the contracts that it keeps."""

    broken: Counter[Broken]
    unkept: Mapping[Reliance, Counter[str]]
    kept: frozenset[Reliance]
    typed: frozenset[tuple[str, str]]


class Judge:
    """Judges rewritten states of one backend between the ends of a range, each beside the original. Asked are
    rewritten files, and those that see what these say otherwise now; all others cannot see the difference."""

    def __init__(self, trees: Trees, old: str, new: str, checker: Checker | None) -> None:
        self._checker = checker
        self._original = BackendState(trees, old, new, {})
        self._ends = (trees, old, new)
        self._states: dict[_Texts, BackendState] = {(): self._original}
        self._checked: dict[_Texts, frozenset[tuple[str, str]]] = {}

    def looks(
        self, texts: Mapping[str, str], unmoved: Mapping[str, str], typed: bool, reported: Set[str]
    ) -> tuple[Look, Look]:
        """The original and the state with these texts; ``unmoved`` are those without the moves, ``typed``
        asks the type checkers too, ``reported`` are the files of impacts."""
        still = self._state(unmoved, self._original)
        last = self._state(texts, still)
        asked = still.differing | last.differing
        found = still.breaking(asked)
        if last is not still:
            moved = last.breaking(asked)
            # A move that was written is no finding any more; one that was not still is.
            left = {_broken(f) for f in moved}
            found = [f for f in found if not _is_move(f) or _broken(f) in left]
            found += [f for f in moved if _broken(f) not in {_broken(g) for g in found}]
        now = last.lacking(asked)
        # Of other files nobody asks what was lacking before.
        files = {file for file, _, _ in now.unkept}
        was, hidden = self._original.lacking(files), self._original.lacking_moved(files)
        unkept = dict(was.unkept)
        # What a name that moved hides from the new tree alone was there before its import is rewritten.
        for key, words in hidden.unkept.items():
            unkept[key] = unkept.get(key, Counter()) | words
        # Nor what broke before in files where nothing does now, and no impact did.
        broken = self._original.breaking(
            asked & {*reported, *(f.contract.place.location.file for f in found)}
        )
        return (
            Look(Counter(map(_broken, broken)), unkept, was.kept | hidden.kept, self._typed({}, typed)),
            Look(Counter(map(_broken, found)), now.unkept, now.kept, self._typed(texts, typed)),
        )

    def _state(self, texts: Mapping[str, str], before: BackendState) -> BackendState:
        """A state, behind the one that it is nearly like: states come again when answers are refused."""
        key = tuple(sorted(texts.items()))
        if key not in self._states:
            self._states[key] = RewrittenState(*self._ends, texts, before)
        return self._states[key]

    def _typed(self, texts: Mapping[str, str], asked: bool) -> frozenset[tuple[str, str]]:
        """Return the breaks that the type checkers find, each by impact and file."""
        key = tuple(sorted(texts.items()))
        if not asked or self._checker is None:
            return frozenset()
        if key not in self._checked:
            checked = self._checker(self._state(texts, self._original).backend)
            breaking = [i for i in checked if i.verdict is Verdict.BREAKS]
            self._checked[key] = frozenset((i.id, p.file) for i in breaking for p in i.locations)
        return self._checked[key]


def remaining(impact: Impact, look: Look) -> bool:
    """Whether an impact is still there, in one of the files that it named."""
    files = {place.file for place in impact.locations}
    names = {
        impact_id(impact.commit, b.kind, b.symbol, b.meaning, impact.tests_only)
        for b in look.broken
        if b.file in files
    }
    return impact.id in names or any((impact.id, file) in look.typed for file in files)


def still_lacking(reliances: Set[Reliance], look: Look) -> Iterator[str]:
    """Yield the problems of these contracts in the new upstream, where none with the same key is kept."""
    for key in sorted(reliances):
        if key not in look.kept:
            yield from sorted(look.unkept.get(key, ()))


def worse(before: Look, after: Look) -> list[tuple[str, str, str]]:
    """Return the breaks that are new, each with its file, symbol and words."""
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
    subject, meaning = finding.subject, finding.meaning
    return Broken(finding.kind, finding.symbol, subject, meaning, place.location.file, place.scope, symbol)


def _is_move(finding: Finding) -> bool:
    # What is imported from elsewhere now may have been seen as gone.
    return finding.kind in (
        ChangeKind.SYMBOL_MOVED, ChangeKind.MODULE_MOVED, ChangeKind.SYMBOL_RENAMED,
        ChangeKind.SYMBOL_REMOVED, ChangeKind.MODULE_REMOVED,
    )  # fmt: skip
