"""Dictionaries that upstream's modules spell out and that the backend subscripts by a written key."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import dotted
from syncbot.contracts.calls.written_tables import has_key, lacks_key
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.tested_keys import is_prepared
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.containers import named_variable
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKeyContract(Contract):
    """``symbol[key]``, the text of the key as it is written, in what the keys ``before`` give; ``tolerant``:
    it may be missing."""

    key: str
    before: tuple[str, ...] = ()
    tolerant: bool = False


@finder(ast.Subscript, ast.Call)
def find_keys(node: ast.Subscript | ast.Call, context: Context) -> Iterator[TableKeyContract]:
    """``TABLE["key"]`` and ``TABLE.pop("key")`` of a dictionary that upstream spells out."""
    match node:
        case ast.Subscript(value=table, slice=ast.Constant() as asked, ctx=ctx):
            # A new entry needs none before.
            if not isinstance(ctx, ast.Store) or isinstance(context.parent, ast.AugAssign):
                yield from _key(table, asked, node, context)
        case ast.Call(
            func=ast.Attribute(value=table, attr="pop"), args=[ast.Constant() as asked], keywords=[]
        ):
            yield from _key(table, asked, node, context)


def _key(
    table: ast.expr, asked: ast.Constant, node: ast.expr, context: Context
) -> Iterator[TableKeyContract]:
    before = list[str]()
    while isinstance(table, ast.Subscript) and isinstance(table.slice, ast.Constant):
        before.insert(0, ast.unparse(table.slice))
        table = table.value
    name = dotted(table)
    found = named_variable(name, context) if name is not None else None
    if found is None or found.kind != "variable" or not context.is_upstream(found.module):
        return
    key = ast.unparse(asked)
    if has_key(context.universe, found, (*before, key)):
        tolerant = is_prepared(node, key, context, "KeyError", "LookupError")
        place = context.place(node)
        yield TableKeyContract(
            symbol=found.name, key=key, before=tuple(before), tolerant=tolerant, place=place
        )


@judge(TableKeyContract)
def judge_key(contract: TableKeyContract, pair: Comparison) -> Iterator[Finding]:
    """The dictionary has no such key any more, and nothing is seen to put it there."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    path = (*contract.before, contract.key)
    if before is None or after is None or not has_key(pair.old, before, path):
        return
    if lacks_key(pair.new, after, path):
        owner = after.name + "".join(f"[{key}]" for key in contract.before)
        ground = Ground.TESTED_FOR if contract.tolerant else Ground.TYPE_LACKS_METHOD
        yield Finding(
            contract, ChangeKind.KEY_REMOVED, f"{owner}[{contract.key}]", ground,
            f"{owner} has no key {contract.key} any more", subject=contract.key,
        )  # fmt: skip
