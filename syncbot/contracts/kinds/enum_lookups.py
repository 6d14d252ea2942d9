"""Members of upstream's enumerations that the backend looks up by name or by value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.metaclasses import own_metaclasses
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.conditions.guards import asks_for_key
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
    tried = catches_attribute_error(context.parents, node, ("KeyError", "ValueError", "LookupError"))
    if (
        not tried
        and not asks_for_key(context.guards, key)
        and _is_enumeration(context.universe, found.symbol)
    ):
        yield EnumLookupContract(
            symbol=found.symbol.name, key=key, by_name=by_name, place=context.place(node)
        )


@judge(EnumLookupContract)
def judge_lookup(contract: EnumLookupContract, pair: Comparison) -> Iterator[Finding]:
    """The enumeration has no such member any more."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    if before is None or after is None or not _is_enumeration(pair.new, after):
        return
    former, members = _members(pair.old, before), _members(pair.new, after)
    was, now = ((m if contract.by_name else m.values()) for m in (former, members))
    if contract.key not in was or contract.key in now:
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


def _is_enumeration(universe: Universe, class_: Symbol) -> bool:
    """Whether a class is an enumeration, without a base or a metaclass that may give it members or a
    way to find them."""
    if class_.kind != "class":
        return False
    outside = {base.rpartition(".")[2] for base in universe.lineage(class_).external}
    plain = not any(own_metaclasses(universe, class_))
    return plain and bool(outside & _ENUMERATIONS) and not outside - _ENUMERATIONS - {"str", "int", "object"}


def _members(universe: Universe, class_: Symbol) -> dict[str, str]:
    """The members of an enumeration with the texts of their values."""
    bodies = [universe.body(one) for one in universe.lineage(class_).classes]
    rows = [a for body in bodies if body is not None for a in body.attributes]
    return {a.name: a.value for a in rows if _is_member(a) and a.value is not None}


def _is_member(attribute: Attribute) -> bool:
    return not attribute.origin and attribute.annotation is None and not attribute.name.startswith("_")
