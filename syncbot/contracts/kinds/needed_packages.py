"""Packages that have to be there when the backend imports upstream, and that not every install of upstream
brings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from syncbot.api.import_closure import runs
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededPackageContract(Contract):
    """The backend's module ``own`` imports upstream, first ``symbol``, when it is imported itself."""

    own: str
    told_beside: ClassVar[bool] = True


@finder(ast.Import, ast.ImportFrom)
def find_first_import(node: ast.Import | ast.ImportFrom, context: Context) -> Iterator[NeededPackageContract]:
    """The first import of upstream that a module runs without any condition."""
    if context.function is not None or context.guards:
        return
    own = context.file.module
    tree = context.universe.tree_of(own)
    table = tree.table(own) if tree is not None else None
    for bound in table.imports if table is not None else ():
        if runs(bound) and not bound.guards and not bound.level and context.is_upstream(bound.module):
            if bound.line == node.lineno:
                yield NeededPackageContract(symbol=bound.module, own=own, place=context.place(node))
            return


@judge(NeededPackageContract)
def judge_needed_package(contract: NeededPackageContract, pair: Comparison) -> Iterator[Finding]:
    """Yield a finding where what upstream imports by then needs a package more."""
    for need in pair.needed_packages.new.get(contract.own, ()):
        pair.new_tree.note(need.chain)
        way = ", which imports ".join((*need.chain, need.package))
        yield Finding(
            contract, ChangeKind.PACKAGE_NEEDED, need.chain[-1], Ground.MAYBE_NOT_INSTALLED,
            f"this imports {way} now: only some installs of upstream bring that",
            subject=need.package,
        )  # fmt: skip
