"""Which commit of a range is guilty of a finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from syncbot.api.tree import modules_of
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.model import Contract, Finding, Location, Verdict
from syncbot.contracts.registry import judge_of
from syncbot.impact.trees import Trees
from syncbot.upstream.model import Commit

# So many of the newest candidates are looked at one by one.
_NEAR = 8
# So many pairs of trees are kept: each holds what was looked up in it.
_KEPT = 48
_SEVERITY = {Verdict.BREAKS: 3, Verdict.AT_RISK: 2, Verdict.DRIFT: 1, Verdict.NONE: 0}


@dataclass(frozen=True, slots=True)
class Attributed:
    """A finding and the commit that made it; ``commit`` is None where the finding was healed inside
    the range or no commit of the range touches what it depends on."""

    finding: Finding
    commit: Commit | None


class Attribution:
    """Walks the commits that touched what a finding depends on, newest first, until it is gone.

    The modules that a judge looks at are recorded; only commits that change one of them can have made
    or healed its finding, so a handful of looks settles each. Of many, those far back are looked at in
    growing steps, and what lies between the last two is halved.
    """

    def __init__(self, trees: Trees, commits: Sequence[Commit], old: str, new: str) -> None:
        self._trees = trees
        self._commits = list(commits)
        self._old = old
        self._comparisons: dict[str, Comparison] = {}
        self._touching = self._index(old, new)
        self._judged: dict[tuple[int, int], dict[tuple[str, str, str, Location], int]] = {}

    def of(self, contract: Contract, findings: Sequence[Finding], looked_at: set[str]) -> list[Attributed]:
        """Each finding of one contract with its commit."""
        candidates = sorted({i for module in modules_of(looked_at) for i in self._touching.get(module, ())})
        return [Attributed(f, self._guilty(contract, f, candidates)) for f in findings]

    def _guilty(self, contract: Contract, finding: Finding, candidates: list[int]) -> Commit | None:
        if not candidates:
            return None
        # The newest candidate shows the state of the range's end; a finding that it does not show yet
        # was made by nothing that this walk can see.
        newest = len(candidates)
        present = newest
        step = 1
        while present and self._present(contract, finding, candidates[max(newest - step, 0)]):
            present = max(newest - step, 0)
            step = step + 1 if step < _NEAR else 2 * step
        if present == newest:
            return None
        absent = max(newest - step, 0) if present else -1
        while present - absent > 1:
            middle = (absent + present) // 2
            if self._present(contract, finding, candidates[middle]):
                present = middle
            else:
                absent = middle
        return self._commits[candidates[present]]

    def _present(self, contract: Contract, finding: Finding, index: int) -> bool:
        key = (id(contract), index)
        known = self._judged.get(key)
        if known is None:
            judge = judge_of(contract)
            pair = self._comparison(self._commits[index].sha)
            known = {}
            for found in judge(contract, pair) if judge is not None else ():
                identity = found.key
                known[identity] = max(known.get(identity, 0), _SEVERITY[found.verdict])
            self._judged[key] = known
        return known.get(finding.key, 0) >= _SEVERITY[finding.verdict]

    def _comparison(self, sha: str) -> Comparison:
        pair = self._comparisons.pop(sha, None)
        if pair is None:
            pair = self._trees.comparison(self._old, sha)
            while len(self._comparisons) >= _KEPT:
                self._comparisons.pop(next(iter(self._comparisons)))
        self._comparisons[sha] = pair
        return pair

    def _index(self, old: str, new: str) -> dict[str, list[int]]:
        before, after = self._trees.module_of(old), self._trees.module_of(new)
        touching: dict[str, list[int]] = {}
        for index, commit in enumerate(self._commits):
            listed = (p for f in commit.files for p in (f.old_path, f.new_path) if p)
            paths = {p for p in listed if p.endswith(".py") or before(p) or after(p)}
            if not paths:
                continue
            names = {n for p in paths for n in (before(p), after(p)) if n}
            for path in paths - {p for p in paths if before(p) or after(p)}:
                # Born and gone inside the range: known by the tree of the commit itself.
                name = self._trees.module_of(commit.sha)(path)
                names.update([name] if name else [])
            for name in names:
                touching.setdefault(name, []).append(index)
        return touching
