"""Classes of upstream that the backend gives type arguments, when its module is imported: only generic ones
take any."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import dotted
from syncbot.api.statement_parts import type_checking
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.class_decorators import keep_members
from syncbot.contracts.attributes.metaclasses import own_metaclasses
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.type_arguments import parameter_count
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class GenericClassContract(Contract):
    """``symbol[…]``: the upstream class is generic; ``given`` is the number of type arguments."""

    given: int = 1


@finder(ast.Subscript)
def find_type_arguments(node: ast.Subscript, context: Context) -> Iterator[GenericClassContract]:
    """``Base[Mine]`` where a class derives from it, or as an expression of its own."""
    named = dotted(node.value) if isinstance(node.ctx, ast.Load) else None
    # Most of what is subscripted is data in variables.
    if named is None or _is_variable(named.partition(".")[0], context):
        return
    if type_checking(context.guards) or catches_attribute_error(context.parents, node, ("TypeError",)):
        return
    found = context.infer(node.value)
    if found is None or found.instance or found.symbol.kind != "class":
        return
    if context.is_upstream(found.symbol.module) and _is_generic(context.universe, found.symbol):
        arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        yield GenericClassContract(symbol=found.symbol.name, given=len(arguments), place=context.place(node))


def _is_variable(name: str, context: Context) -> bool:
    """Whether a function gives a name a value, or is given one by it."""
    scope = context.scope
    return name == scope.receiver or any(
        name in names for names in (scope.values, scope.annotations, scope.opaque)
    )


@judge(GenericClassContract)
def judge_type_arguments(contract: GenericClassContract, pair: Comparison) -> Iterator[Finding]:
    """The class takes no type arguments any more, or another number of them."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    if before is None or after is None or after.kind != "class" or _may_take_any(pair.new, after):
        return
    if _is_generic(pair.new, after):
        now = parameter_count(pair.new, after)
        if now is None or now == contract.given or parameter_count(pair.old, before) != contract.given:
            return
        reason = f"{after.name} takes {now} type arguments now: giving it {contract.given} fails"
    elif pair.new.is_open(after):
        return
    else:
        reason = f"{after.name} is not generic any more: giving it type arguments fails"
    yield Finding(contract, ChangeKind.TYPE_CHANGED, after.name, Ground.CLASS_CANNOT_BE_MADE, reason)


def _is_generic(universe: Universe, class_: Symbol) -> bool:
    """Whether a class, or one that it derives from, gives type arguments to a base, or names its own."""
    for one in universe.lineage(class_).classes:
        node = one.class_
        if node is None or any("[" in base for base in node.bases):
            return True
        # What its head says beside is kept nowhere else.
        universe.body(one)
        lines = (universe.source(one.module) or b"").splitlines()
        # Python 3.12 and later (PEP 695).
        if any(f"class {node.name}[".encode() in line for line in lines[node.line - 1 : node.end_line]):
            return True
    return False


def _may_take_any(universe: Universe, class_: Symbol) -> bool:
    """Whether something else than that it is generic may let a class take type arguments."""
    if any(own_metaclasses(universe, class_)) or not keep_members(universe, class_):
        return True
    if any(universe.member(class_, way) is not None for way in ("__class_getitem__", "__getitem__")):
        return True
    sources = (universe.source(one.module) or b"" for one in universe.lineage(class_).classes)
    return any(b"__class_getitem__" in source for source in sources)
