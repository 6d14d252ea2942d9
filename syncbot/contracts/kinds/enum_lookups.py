"""Members of upstream's enumerations that the backend looks up by name or by value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.class_decorators import keep_members
from syncbot.contracts.attributes.metaclasses import own_metaclasses
from syncbot.contracts.attributes.type_forms import no_class_any_more, type_form_of_class
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
    """``symbol["name"]``, or ``symbol(value)`` where ``key`` is the text of a value, empty where none tells
    what is looked up; ``tolerant``: there may be none."""

    key: str
    by_name: bool
    tolerant: bool = False


@finder(ast.Subscript, ast.Call)
def find_lookups(node: ast.Subscript | ast.Call, context: Context) -> Iterator[EnumLookupContract]:
    """``E["name"]``, ``E.__members__["name"]``, ``E("value")`` and ``E(anything)``."""
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
        case (
            ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name) as owner, args=[_], keywords=[])
            | ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name) as owner, ctx=ast.Load())
        ) if name[:1].isupper():
            yield from _lookup(owner, "", node, context, by_name=isinstance(node, ast.Subscript))


def _lookup(
    owner: ast.expr, key: str, node: ast.expr, context: Context, *, by_name: bool
) -> Iterator[EnumLookupContract]:
    found = context.infer(owner) if isinstance(owner, ast.Name | ast.Attribute) else None
    if found is None or found.instance or not context.is_upstream(found.symbol.module):
        return
    if _is_enumeration(context.universe, found.symbol):
        error = "KeyError" if by_name else "ValueError"
        yield EnumLookupContract(
            symbol=found.symbol.name,
            key=key,
            by_name=by_name,
            tolerant=is_prepared(node, key, context, error) or tests_for(context.guards, key),
            place=context.place(node),
        )


@judge(EnumLookupContract)
def judge_lookup(contract: EnumLookupContract, pair: Comparison) -> Iterator[Finding]:
    """The enumeration has no such member any more."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    form = type_form_of_class(before, after)
    if form is not None:
        yield Finding(
            contract, ChangeKind.TYPE_CHANGED, contract.symbol, Ground.MEMBER_GONE,
            no_class_any_more(contract.symbol, form),
        )  # fmt: skip
    if before is None or after is None or not _is_enumeration(pair.new, after) or not contract.key:
        return
    former, members = _members(pair.old, before), _members(pair.new, after)
    was, now = ((m if contract.by_name else m.values()) for m in (former, members))
    if contract.key not in was or contract.key in now or not keep_members(pair.new, after):
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


def _is_enumeration(universe: Universe, class_: Symbol) -> bool:
    """Whether a class is an enumeration, without a base or a metaclass that may give it members or a way to
    find them."""
    if class_.kind != "class":
        return False
    outside = {base.rpartition(".")[2] for base in universe.lineage(class_).external}
    plain = not any(own_metaclasses(universe, class_))
    return plain and bool(outside & _ENUMERATIONS) and not outside - _ENUMERATIONS - {"str", "int", "object"}


def _members(universe: Universe, class_: Symbol) -> dict[str, str]:
    """The members of an enumeration with the texts of their values."""
    bodies = [universe.body(one) for one in universe.lineage(class_).classes]
    rows = [a for body in bodies if body is not None for a in body.attributes if _is_member(a)]
    return {a.name: a.value or "" for a in rows}


def _is_member(attribute: Attribute) -> bool:
    declared = attribute.annotation is not None and attribute.value is None
    return not attribute.origin and not declared and not attribute.name.startswith("_")
