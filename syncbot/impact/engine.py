"""The contract engine: contracts of the backend judged on two upstream trees, each finding attributed."""

from __future__ import annotations

from collections.abc import Sequence

from syncbot.contracts.model import Finding, Verdict
from syncbot.contracts.registry import judge_of
from syncbot.contracts.unreached_overrides import settled
from syncbot.impact.attribution import Attributed, Attribution
from syncbot.impact.trees import Trees
from syncbot.upstream.model import Commit


def attributed_findings(trees: Trees, old: str, new: str, commits: Sequence[Commit]) -> list[Attributed]:
    """All findings between two commits, each with its guilty commit (``commits`` oldest first).

    Findings that no commit of the range explains are left out: they were made and healed inside it,
    or depend on nothing that changed.
    """
    trees.accelerator.begin_range(old, new, commits, trees.tree)
    pair = trees.comparison(old, new)
    contracts = trees.contracts(pair.old)
    trees.along(commits, old, new)
    attribution = Attribution(trees, commits, old, new)
    for contract in contracts:
        judge = judge_of(contract)
        if judge is None:
            continue
        seen = [pair.old_tree.start_recording(), pair.new_tree.start_recording()]
        try:
            findings = [settled(f, pair) for f in judge(contract, pair) if f.verdict is not Verdict.NONE]
        finally:
            pair.old_tree.stop_recording(seen[0])
            pair.new_tree.stop_recording(seen[1])
        if findings:
            attribution.ask(contract, findings, seen[0] | seen[1])
    return [found for found in attribution.settle() if found.commit is not None]


def findings(trees: Trees, old: str, new: str) -> list[Finding]:
    """All findings between two commits, without attribution: what moving from one to the other breaks."""
    pair = trees.comparison(old, new)
    found: list[Finding] = []
    for contract in trees.contracts(pair.old):
        judge = judge_of(contract)
        if judge is not None:
            found.extend(settled(f, pair) for f in judge(contract, pair) if f.verdict is not Verdict.NONE)
    return found
