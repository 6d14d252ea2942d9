"""The contract engine: contracts of the backend judged on two upstream trees, each finding attributed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from syncbot.contracts.comparison import Comparison
from syncbot.contracts.coverage import covered
from syncbot.contracts.model import Contract, Finding, Verdict
from syncbot.contracts.registry import judge_of
from syncbot.contracts.unreached.unreached_overrides import settled
from syncbot.impact.accelerator import Range
from syncbot.impact.attribution import Attributed, Attribution
from syncbot.impact.beginning_code import beginning
from syncbot.impact.fit import misfit
from syncbot.impact.trees import Trees
from syncbot.upstream.model import Commit, Meter, no_meter, step


def attributed_findings(
    trees: Trees, old: str, new: str, commits: Sequence[Commit], meter: Meter = no_meter
) -> list[Attributed]:
    """All findings between two commits that one of those (oldest first) is guilty of, with that one. Sets
    the trees' ``coverage`` and ``misfit``."""
    span = Range(old, new, commits, trees.tree)
    trees.accelerator.begin_range(span)
    pair = trees.comparison(old, new)
    with step(meter, "reading what the project relies on"):
        contracts = trees.contracts(pair.old, new)
    trees.coverage = covered(trees.backend, contracts, trees.unjudged)
    trees.misfit = misfit(trees, contracts, pair, old, new)
    trees.along(commits, old, new)
    attribution = Attribution(trees, commits, old, new)
    for contract, found, seen in _broken(trees, contracts, pair, span, meter):
        attribution.ask(contract, found, seen)
    with step(meter, "finding the commits that break it"):
        told = [each for each in attribution.settle() if each.commit is not None]
    known = {each.finding.contract.place.location for each in told if each.finding.verdict is Verdict.BREAKS}
    # Whoever made the new version is guilty of what begins to run there.
    begun = [settled(f, pair) for f in beginning(trees, pair) if f.contract.place.location not in known]
    pair.close()
    return [*told, *(Attributed(finding, commits[-1]) for finding in begun)]


def findings(trees: Trees, old: str, new: str, files: Set[str] | None = None) -> list[Finding]:
    """Findings of moving from one commit to another, in all files or in some, without attribution."""
    pair = trees.comparison(old, new)
    contracts = trees.contracts(pair.old, new)
    if files is not None:
        return judged((c for c in contracts if c.place.location.file in files), pair)
    span = Range(old, new, (), trees.tree)
    return [each for _, found, _ in _broken(trees, contracts, pair, span) for each in found]


def _broken(
    trees: Trees, contracts: Sequence[Contract], pair: Comparison, span: Range, meter: Meter = no_meter
) -> Iterator[tuple[Contract, list[Finding], set[str]]]:
    """Yield each contract that the new end does not keep, its findings, and the upstream modules that these
    were told from. What is known to be kept is not judged again."""
    judgements = trees.accelerator.judgements(contracts, pair, span)
    own = trees.own_tree
    for n, contract in enumerate(contracts):
        meter("comparing what the project relies on", n, len(contracts))
        if judgements.is_kept(n):
            continue
        own.begin()
        seen = [pair.old_tree.start_recording(), pair.new_tree.start_recording()]
        try:
            found = _judged(contract, pair)
        finally:
            pair.old_tree.stop_recording(seen[0])
            pair.new_tree.stop_recording(seen[1])
        reads = own.read_modules()
        if found:
            yield contract, found, seen[0] | seen[1]
        elif reads is not None:
            judgements.keep(n, reads)
    judgements.close()
    meter("comparing what the project relies on", len(contracts), len(contracts))


def judged(contracts: Iterable[Contract], pair: Comparison) -> list[Finding]:
    """Return the findings for contracts that the new end of a comparison does not keep."""
    return [finding for contract in contracts for finding in _judged(contract, pair)]


def _judged(contract: Contract, pair: Comparison) -> list[Finding]:
    judge = judge_of(contract)
    found = judge(contract, pair) if judge is not None else ()
    return [settled(finding, pair) for finding in found if finding.verdict is not Verdict.NONE]
