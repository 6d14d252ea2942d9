"""Members of upstream's enumerations that the backend looks up by name or by value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.class_decorators import keep_members
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.guards import tests_for
from syncbot.contracts.conditions.tested_keys import is_prepared
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

_BEGINNINGS = ("'", '"', "-", *"0123456789")
# What puts members into an enumeration that it does not spell out.
_GROWING = (b"vars()", b"locals()", b"_member_map_", b"extend_enum")
_FLAGS = {"Flag", "IntFlag"}
_ENUMERATIONS = {"Enum", "IntEnum", "StrEnum", *_FLAGS}


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumLookupContract(Contract):
    """``symbol["name"]``, or ``symbol(value)`` where ``key`` is the text of a value; ``tolerant``: there may
    be none."""

    key: str
    by_name: bool
    tolerant: bool = False


@finder(ast.Subscript, ast.Call)
def find_lookups(node: ast.Subscript | ast.Call, context: Context) -> Iterator[EnumLookupContract]:
    """``E["name"]``, ``E.__members__["name"]`` and ``E("value")``."""
    match node:
        case ast.Subscript(
            value=ast.Attribute(value=owner, attr="__members__" | "_member_map_"),
            slice=ast.Constant(value=str(key)),
            ctx=ast.Load(),
        ):
            yield from _lookup(owner, key, node, context, by_name=True)
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
        error, asked = ("KeyError", repr(key)) if by_name else ("ValueError", key)
        yield EnumLookupContract(
            symbol=found.symbol.name,
            key=key,
            by_name=by_name,
            tolerant=is_prepared(node, asked, context, error) or tests_for(context.guards, key),
            place=context.place(node),
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
    if _may_grow(pair.new, after) or (contract.by_name and pair.new.member(after, contract.key) is not None):
        return
    if not contract.by_name and not _is_told_by_values(pair.new, after, members):
        return
    what = "member" if contract.by_name else "value"
    ground = Ground.TESTED_FOR if contract.tolerant else Ground.MEMBER_GONE
    yield Finding(
        contract, ChangeKind.ATTRIBUTE_REMOVED, f"{after.name}.{contract.key}", ground,
        f"{after.name} has no {what} {contract.key} any more", subject=contract.key,
    )  # fmt: skip


def _may_grow(universe: Universe, class_: Symbol) -> bool:
    """Whether a module of an enumeration or of its bases has what makes members of unseen names."""
    sources = (universe.source(one.module) or b"" for one in universe.lineage(class_).classes)
    return any(word in source for source in sources for word in _GROWING)


def _is_told_by_values(universe: Universe, class_: Symbol, members: dict[str, str]) -> bool:
    """Whether all values are written out, and nothing finds a member for another one: flags join theirs."""
    if any(base.rpartition(".")[2] in _FLAGS for base in universe.lineage(class_).external):
        return False
    written = all(text.startswith(_BEGINNINGS) for text in members.values())
    ways = ("_missing_", "__new__", "_generate_next_value_")
    return written and all(universe.member(class_, way) is None for way in ways)


def _members(universe: Universe, class_: Symbol) -> dict[str, str] | None:
    """The members of an enumeration with the texts of their values; None for another class, and where a base
    beside may give it members or a way to find them."""
    lineage = universe.lineage(class_) if class_.kind == "class" else None
    outside = {base.rpartition(".")[2] for base in lineage.external} if lineage is not None else set[str]()
    if lineage is None or not outside & _ENUMERATIONS or outside - _ENUMERATIONS - {"str", "int", "object"}:
        return None
    bodies = [one.class_ for one in lineage.classes if one.class_]
    # A decorator or a metaclass may give it others, and so may statements in its body.
    if any(body.keywords for body in bodies) or not keep_members(universe, class_):
        return None
    rows = [a for body in bodies for a in body.attributes if _is_member(a)]
    return {a.name: a.value or "" for a in rows}


def _is_member(attribute: Attribute) -> bool:
    declared = attribute.annotation is not None and attribute.value is None
    return not attribute.origin and not declared and not attribute.name.startswith("_")
