"""Who in the backend relies on an upstream symbol: contracts, lanes and patches that concern it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from syncbot.api.universe import Universe
from syncbot.contracts.model import Contract
from syncbot.contracts.surface import Row, surface
from syncbot.errors import UsageError
from syncbot.explain.symbol_history import State, state_of
from syncbot.impact.trees import Trees
from syncbot.lanes.matrix import Matrix
from syncbot.patching.model import Patch


@dataclass(frozen=True, slots=True)
class LaneState:
    """A lane, and the symbol in its upstream; ``known`` is false where the upstream has no such version."""

    tag: str
    state: State | None
    known: bool = True


def contracts_on(
    contracts: Iterable[Contract], universe: Universe, names: Collection[str]
) -> tuple[Row, ...]:
    """The contracts with one of some symbols or what is below it, by whatever name the backend reaches it."""
    chosen = [c for c in contracts if _concerns(c, universe, names)]
    return surface((c, "") for c in chosen).rows


def _concerns(contract: Contract, universe: Universe, names: Collection[str]) -> bool:
    if any(_within(contract.symbol, name) for name in names):
        return True
    found = universe.resolve(contract.symbol)
    return found is not None and any(_within(found.name, name) for name in names)


def _within(symbol: str, name: str) -> bool:
    return f"{symbol}.".startswith(f"{name}.")


def lanes_with(trees: Trees, matrix: Matrix, names: Sequence[str]) -> list[LaneState]:
    """Return the state of a symbol in each lane's upstream, under the first of its names found there."""
    found = []
    for lane in matrix:
        try:
            commit = trees.repository.resolve(str(lane.version))
        except UsageError:
            found.append(LaneState(lane.tag, None, known=False))
            continue
        universe = trees.universe(trees.tree(commit))
        states = (state_of(universe, name) for name in names)
        found.append(LaneState(lane.tag, next((s for s in states if s is not None), None)))
    return found


def patches_on(patches: Iterable[Patch], names: Collection[str], qualname: str) -> list[Patch]:
    """The patches whose words name a symbol: one of its dotted names, or its name inside its module."""
    words = "|".join(re.escape(word) for word in (*names, qualname))
    mention = re.compile(rf"(?<![\w.])(?:[\w.]+\.)?(?:{words})(?!\w)")
    return [patch for patch in patches if any(mention.search(text) for text in patch.sources())]
