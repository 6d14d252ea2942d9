"""Which commit of a range is guilty of a finding."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from syncbot.api.tree import modules_of
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.model import Contract, Finding, Location, Verdict
from syncbot.contracts.registry import judge_of
from syncbot.impact.first_parent_lines import Lines, lines_of
from syncbot.impact.module_history import module_history
from syncbot.impact.trees import Trees
from syncbot.upstream.model import Commit

# So many of the newest candidates are looked at one by one.
_NEAR = 8
_SEVERITY = {Verdict.BREAKS: 3, Verdict.AT_RISK: 2, Verdict.DRIFT: 1, Verdict.NONE: 0}


@dataclass(frozen=True, slots=True)
class Attributed:
    """A finding and its commit, None where it was healed inside the range or none touches what it needs."""

    finding: Finding
    commit: Commit | None


# Asks for commits by their places, is told whether each shows a finding, and returns the guilty one.
_Search = Generator[int, bool, int | None]


@dataclass(slots=True)
class _Walk:
    """The search for the commit of one finding; ``modules`` are those that its judge looks at."""

    contract: Contract
    finding: Finding
    modules: Collection[str]
    search: _Search
    guilty: int | None = None

    def step(self, answer: bool | None = None) -> int | None:
        """The commit that the search asks for after an answer, None once it is at its end."""
        try:
            return next(self.search) if answer is None else self.search.send(answer)
        except StopIteration as end:
            self.guilty = end.value
            return None


class Attribution:
    """Walks the commits that touched what a finding depends on, newest first, until it is gone. Steps grow
    far back, and the last one is halved; merges are looked into. All findings are walked together, so that a
    commit is compared with the old end once a sweep."""

    def __init__(self, trees: Trees, commits: Sequence[Commit], old: str, new: str) -> None:
        self._trees = trees
        self._commits = list(commits)
        self._old = old
        self._history = module_history(trees, self._commits, old, new)
        self._lines = lines_of(self._commits)
        self._walks: list[_Walk] = []
        self._judged: dict[tuple[int, int], dict[tuple[str, str, str, Location], int]] = {}

    def ask(self, contract: Contract, findings: Iterable[Finding], looked_at: set[str]) -> None:
        """Ask for the commits of one contract's findings."""
        modules = [module for module in modules_of(looked_at) if module in self._history.places]
        candidates = {index for module in modules for index in self._history.places[module]}
        for finding in findings:
            self._walks.append(_Walk(contract, finding, modules, _search(candidates, self._lines)))

    def settle(self) -> list[Attributed]:
        """Each finding with its commit, in the order in which they were asked for."""
        waiting: dict[int, list[_Walk]] = {}
        for walk in self._walks:
            if (index := self._step(walk)) is not None:
                waiting.setdefault(index, []).append(walk)
        direction = -1
        while waiting:
            self._sweep(waiting, direction)
            direction = -direction
        guilty = (None if walk.guilty is None else self._commits[walk.guilty] for walk in self._walks)
        return [Attributed(walk.finding, commit) for walk, commit in zip(self._walks, guilty, strict=True)]

    def _sweep(self, waiting: dict[int, list[_Walk]], direction: int) -> None:
        """Go through the range once; what is asked for behind is left for the way back."""
        places = [direction * index for index in waiting]
        heapify(places)
        while places:
            place = heappop(places)
            pair = self._trees.comparison(self._old, self._commits[direction * place].sha)
            for walk in waiting.pop(direction * place):
                index = self._step(walk, self._present(walk, direction * place, pair))
                if index is None:
                    continue
                if index not in waiting and direction * index > place:
                    heappush(places, direction * index)
                waiting.setdefault(index, []).append(walk)
            pair.close()

    def _step(self, walk: _Walk, answer: bool | None = None) -> int | None:
        """The commit that a walk asks for next; the accelerator is told what that will need."""
        index = walk.step(answer)
        if index is not None:
            self._trees.accelerator.expect_tables(self._history.blobs_at(walk.modules, index))
        elif walk.guilty is not None:
            self._trees.accelerator.expect_facts(self._commits[walk.guilty])
        return index

    def _present(self, walk: _Walk, index: int, pair: Comparison) -> bool:
        """Whether a commit, compared with the old end in ``pair``, shows the finding of a walk."""
        key = (id(walk.contract), index)
        known = self._judged.get(key)
        if known is None:
            judge = judge_of(walk.contract)
            known = {}
            for found in judge(walk.contract, pair) if judge is not None else ():
                identity = found.key
                known[identity] = max(known.get(identity, 0), _SEVERITY[found.verdict])
            self._judged[key] = known
        return known.get(walk.finding.key, 0) >= _SEVERITY[walk.finding.verdict]


def _search(candidates: Iterable[int], lines: Lines) -> _Search:
    """Search the main line, and then what the merge found there brings in, for where a finding begins."""
    steps = lines.steps(candidates)
    guilty = None
    waiting = [0]
    while waiting:
        found = yield from _along(sorted(steps.get(waiting.pop(), ())))
        if found is not None:
            guilty = found
            waiting = [line for line in reversed(lines.merged.get(found, ())) if line in steps]
    return guilty


def _along(candidates: Sequence[int]) -> _Search:
    """Search some commits, oldest first, for the one since which a finding is there, back from the newest."""
    newest = present = len(candidates)
    step = 1
    # The newest candidate shows the state of the range's end; a finding that it does not show yet
    # was made by nothing that this walk can see.
    while present and (yield candidates[max(newest - step, 0)]):
        present = max(newest - step, 0)
        step = step + 1 if step < _NEAR else 2 * step
    if present == newest:
        return None
    absent = max(newest - step, 0) if present else -1
    while present - absent > 1:
        middle = (absent + present) // 2
        if (yield candidates[middle]):
            present = middle
        else:
            absent = middle
    return candidates[present]
