"""Device functions that upstream begins to use in modules the backend relies on, and its device may lack."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.statement_parts import imported
from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceApiContract(Contract):
    """The upstream module ``symbol`` runs on our device, which may lack functions below ``prefixes``."""

    prefixes: tuple[str, ...]


@finder(ast.Import, ast.ImportFrom)
def find_device_apis(node: ast.Import | ast.ImportFrom, context: Context) -> Iterator[DeviceApiContract]:
    """One contract for each upstream module that an import statement reaches, if any prefix is configured."""
    prefixes = context.knowledge.device_apis
    modules = set()
    for item in imported(node, "") if prefixes else ():
        if item.level == 0 and context.is_upstream(item.module):
            found = context.universe.resolve(
                item.module if item.name is None else f"{item.module}.{item.name}"
            )
            if found is not None and context.is_upstream(found.module):
                modules.add(found.module)
    for module in sorted(modules):
        yield DeviceApiContract(symbol=module, prefixes=prefixes, place=context.place(node))


@judge(DeviceApiContract)
def judge_device_api(contract: DeviceApiContract, pair: Comparison) -> Iterator[Finding]:
    """The module uses a device function that nothing upstream used before."""
    if pair.old_tree.blob(contract.symbol) == pair.new_tree.blob(contract.symbol):
        return
    before = set(pair.old_usage.chains(contract.symbol))
    for chain in pair.new_usage.chains(contract.symbol):
        if chain in before or not chain.startswith(contract.prefixes):
            continue
        if pair.old_tree.mentioning(pair.old_tree.modules, chain):
            continue
        reason = f"{contract.symbol} now uses {chain}, new upstream: does the device have it?"
        yield Finding(
            contract, ChangeKind.DEVICE_API_USED, contract.symbol, Ground.MAYBE_LACKING, reason,
            subject=chain, details=MemberDetails(name=chain),
        )  # fmt: skip
