"""Lists the contracts of the backend with one upstream version."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from syncbot.api.tree import ModuleTree
from syncbot.contracts.kinds.unknown_objects import UnknownObjectContract, UnseenNameContract
from syncbot.contracts.model import Contract
from syncbot.contracts.surface import Surface, rows_of, surface
from syncbot.errors import UsageError
from syncbot.impact.session import backend_of, opened
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import resolve
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.opening import open_upstream
from syncbot.workflows.project import configured, matrix_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractsOptions:
    """``symbol`` keeps the contracts about this symbol and below. ``at`` is the upstream version; else the
    matrix's baseline, else the newest commit."""

    backend: Path = Path()
    symbol: str | None = None
    at: str | None = None
    upstream: str | None = None


def list_contracts(options: ContractsOptions, meter: Meter = no_meter) -> Surface:
    """Return the contracts, counted by kind and by upstream module, and what could not be analysed. Raises
    UsageError for an unknown version, ConfigurationError, and EnvironmentFailure."""
    config = configured(options.backend)
    matrix = matrix_of(config)
    baseline = matrix.baseline if matrix is not None and options.upstream is None else None
    at = options.at or baseline
    with (
        open_upstream(config, options.upstream, cache_dir(), [at] if at else [], meter) as followed,
        opened(config, followed, backend_of(config), cache_dir()) as trees,
    ):
        commit = resolve(followed.repository, at) if at else followed.head
        tree = trees.tree(commit)
        universe = trees.universe(tree)
        contracts = list(trees.contracts(universe))
        found = surface(_located(tree, contracts), options.symbol)
        if options.symbol is not None and not found.total and universe.resolve(options.symbol) is None:
            raise UsageError(_unknown(options.symbol, contracts))
        return replace(
            found,
            unanalysed=tuple(trees.unanalysed()),
            objects=rows_of(c for c in trees.unjudged if isinstance(c, UnknownObjectContract)),
            unknown=rows_of(c for c in trees.unjudged if isinstance(c, UnseenNameContract)),
        )


def _unknown(symbol: str, contracts: Iterable[Contract]) -> str:
    relied_on = {contract.symbol for contract in contracts}
    relied_on |= {name.rpartition(".")[0] for name in relied_on}
    near = difflib.get_close_matches(symbol, sorted(relied_on), n=1)
    mend = f"the nearest that is relied on is {near[0]}" if near else "syncbot contracts lists what there is"
    return f"upstream has no {symbol}: {mend}"


def _located(tree: ModuleTree, contracts: Iterable[Contract]) -> Iterator[tuple[Contract, str]]:
    for contract in contracts:
        module = contract.symbol
        while module and not tree.exists(module):
            module = module.rpartition(".")[0]
        yield contract, module or "(not known)"
