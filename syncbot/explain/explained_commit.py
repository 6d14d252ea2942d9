"""One upstream change: its changes of the interface, and its impacts on the backend."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from syncbot.api.universe import Universe
from syncbot.contracts.model import Contract
from syncbot.contracts.surface import Row, surface
from syncbot.errors import UsageError
from syncbot.explain.interface_differences import Change
from syncbot.explain.symbol_history import commit_changes
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.model import Impact
from syncbot.impact.trees import Trees
from syncbot.upstream.commit_range import Span
from syncbot.upstream.model import Commit


@dataclass(frozen=True, slots=True)
class Explained:
    """A commit, its changes of the interface, its impacts, and all contracts with what it changed."""

    commit: Commit
    changes: tuple[Change, ...]
    impacts: tuple[Impact, ...]
    contracts: tuple[Row, ...]


def explain_commit(trees: Trees, commit: Commit, analyses: AnalysisCache) -> Explained:
    """Explain a commit against its first parent. Raises UsageError for the first of a history."""
    if not commit.parents:
        raise UsageError(f"{commit.sha[:12]} is the first commit: there is nothing to compare it with")
    parent = commit.parents[0]
    changes = tuple(commit_changes(trees, commit))
    analysis = analyse(trees, Span(parent, commit.sha, (commit,)), analyses)
    universe = trees.universe(trees.tree(parent))
    met = _met(trees.contracts(universe), universe, changes)
    return Explained(commit, changes, analysis.impacts, surface((c, "") for c in met).rows)


def _met(contracts: Iterable[Contract], universe: Universe, changes: Iterable[Change]) -> list[Contract]:
    """The contracts with a symbol that changed, with one inside it, or with the class that it is in."""
    names = {c.symbol for c in changes if c.kind != "added"}
    names |= {c.detail.removeprefix("from ") for c in changes if c.kind == "moved"}
    around = {prefix for name in names for prefix in _prefixes(name)}
    found = []
    for contract in contracts:
        symbol = universe.resolve(contract.symbol)
        for name in {contract.symbol, symbol.name if symbol is not None else contract.symbol}:
            below = symbol is None or symbol.kind != "module"
            if names & set(_prefixes(name)) or (below and name in around):
                found.append(contract)
                break
    return found


def _prefixes(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts) + 1)]
