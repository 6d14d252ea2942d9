"""Classes whose members a base of the backend puts into an upstream module: each is a monkey-patch there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.expressions import FunctionNode
from syncbot.contracts.context import Context
from syncbot.contracts.kinds.patches import PatchContract
from syncbot.contracts.registry import finder


@finder(ast.ClassDef)
def find_grafted(node: ast.ClassDef, context: Context) -> Iterator[PatchContract]:
    """The functions of ``class Mine(Patch[module])``. What goes into a class is told as an override."""
    own = context.own_class(node.name)
    target = context.universe.graft(own) if own is not None else None
    if own is None or target is None or target.kind != "module" or not context.is_upstream(target.module):
        return
    for member in node.body:
        if isinstance(member, FunctionNode):
            yield PatchContract(
                symbol=f"{target.name}.{member.name}",
                owner=target.name,
                name=member.name,
                replacement=f"{own.name}.{member.name}",
                place=context.place(member),
            )
