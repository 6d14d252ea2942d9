"""Members of upstream's enumerations that the backend looks up by name or by value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

_ENUMERATIONS = {"Enum", "IntEnum", "StrEnum"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumLookupContract(Contract):
    """``symbol["name"]``, or ``symbol(value)`` where ``key`` is the text of a value."""

    key: str
    by_name: bool


@finder(ast.Subscript, ast.Call)
def find_lookups(node: ast.Subscript | ast.Call, context: Context) -> Iterator[EnumLookupContract]:
    """``E["name"]`` and ``E("value")``."""
    match node:
        case ast.Subscript(value=owner, slice=ast.Constant(value=str(key)), ctx=ast.Load()):
            yield from _lookup(owner, key, node, context, by_name=True)
        case ast.Call(func=owner, args=[ast.Constant(value=str() | int()) as value], keywords=[]):
            yield from _lookup(owner, ast.unparse(value), node, context, by_name=False)


def _lookup(
    owner: ast.expr, key: str, node: ast.expr, context: Context, *, by_name: bool
) -> Iterator[EnumLookupContract]:
    found = context.infer(owner) if isinstance(owner, ast.Name | ast.Attribute) else None
    if found is None or found.instance or not context.is_upstream(found.symbol.module):
        return
    members = _members(context.universe, found.symbol)
    if members is not None and key in (members if by_name else members.values()):
        yield EnumLookupContract(
            symbol=found.symbol.name, key=key, by_name=by_name, place=context.place(node)
        )


@judge(EnumLookupContract)
def judge_lookup(contract: EnumLookupContract, pair: Comparison) -> Iterator[Finding]:
    """The enumeration has no such member any more."""
    after = pair.now(contract.symbol)
    members = _members(pair.new, after) if after is not None else None
    if (
        after is None
        or members is None
        or contract.key in (members if contract.by_name else members.values())
    ):
        return
    if not contract.by_name and not _is_told_by_values(pair.new, after, members):
        return
    what = "member" if contract.by_name else "value"
    yield Finding(
        contract, ChangeKind.ATTRIBUTE_REMOVED, f"{after.name}.{contract.key}", Ground.MEMBER_GONE,
        f"{after.name} has no {what} {contract.key} any more", subject=contract.key,
    )  # fmt: skip


def _is_told_by_values(universe: Universe, class_: Symbol, members: dict[str, str]) -> bool:
    """Whether all values are written out, and nothing finds a member for another one."""
    written = all(text[:1] in "'\"-0123456789" for text in members.values())
    ways = ("_missing_", "__new__", "_generate_next_value_")
    return written and all(universe.member(class_, way) is None for way in ways)


def _members(universe: Universe, class_: Symbol) -> dict[str, str] | None:
    """The members of an enumeration with the texts of their values; None for another class, and where a base
    beside may give it members or a way to find them."""
    lineage = universe.lineage(class_) if class_.kind == "class" else None
    outside = {base.rpartition(".")[2] for base in lineage.external} if lineage is not None else set[str]()
    if lineage is None or not outside & _ENUMERATIONS or outside - _ENUMERATIONS - {"str", "int", "object"}:
        return None
    rows = [a for one in lineage.classes if one.class_ for a in one.class_.attributes]
    return {a.name: a.value for a in rows if _is_member(a) and a.value is not None}


def _is_member(attribute: Attribute) -> bool:
    return not attribute.origin and attribute.annotation is None and not attribute.name.startswith("_")
