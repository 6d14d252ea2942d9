"""Functions of the backend that it puts onto an object of upstream, in the place of a method of its class."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from syncbot.api.methods import is_property, is_static
from syncbot.api.model import Function
from syncbot.contracts.calls.given_functions import of_bound
from syncbot.contracts.calls.made_functions import made_function
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.former_fit import fitted_before
from syncbot.contracts.overrides.replacement_fit import compare_replacement
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectPatchContract(Contract):
    """``object.name = ours``, where objects of the class ``receiver`` have a method of that name; ``ours`` is
    called as it is there, without a receiver."""

    receiver: str
    name: str
    ours: Function


@finder(ast.Assign)
def find_assigned(node: ast.Assign, context: Context) -> Iterator[ObjectPatchContract]:
    """``object.method = own``."""
    for target in node.targets:
        if isinstance(target, ast.Attribute):
            yield from _put(target.value, target.attr, node.value, node, context)


@finder(ast.Call, words=("setattr",))
def find_set(node: ast.Call, context: Context) -> Iterator[ObjectPatchContract]:
    """``setattr(object, "method", own)``."""
    match node:
        case ast.Call(func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=str(name)), value]):
            yield from _put(owner, name, value, node, context)


def _put(
    owner: ast.expr, name: str, value: ast.expr, node: ast.stmt | ast.expr, context: Context
) -> Iterator[ObjectPatchContract]:
    if not isinstance(value, ast.Name | ast.Attribute | ast.Lambda | ast.Call):
        return
    base = context.infer(owner)
    if base is None or not base.instance or not context.is_upstream(base.symbol.module):
        return
    member = context.universe.member(base.symbol, name, base.skip)
    if member is None or not member.functions or is_property(member.functions[-1]):
        return
    ours = _ours(value, context) if context.is_upstream(member.owner.module) else None
    if ours is not None:
        yield ObjectPatchContract(
            symbol=member.symbol, receiver=base.symbol.name, name=name, ours=ours, place=context.place(node)
        )


def _ours(value: ast.expr, context: Context) -> Function | None:
    """The function of the backend that a value is, as it is called where it was put; None for another one."""
    if (bound := of_bound(value)) is not None:
        inner = _ours(bound, context)
        return replace(inner, parameters=inner.parameters[1:]) if inner is not None else None
    found = context.infer(value)
    if found is None:
        made = made_function(value, context)
        return replace(made, decorators=("staticmethod",)) if made is not None else None
    functions = found.symbol.functions if not found.instance and found.symbol.kind == "function" else ()
    if len(functions) != 1 or context.is_upstream(found.symbol.module):
        return None
    function = functions[0]
    if set(function.decorators) - {"staticmethod", "classmethod"}:
        return None
    taken = function.parameters[1:] if found.bound and not is_static(function) else function.parameters
    return replace(function, parameters=taken, decorators=("staticmethod",))


@judge(ObjectPatchContract)
def judge_object_patch(contract: ObjectPatchContract, pair: Comparison) -> Iterator[Finding]:
    """Upstream calls the method in another way by now, which ours does not take."""
    old_owner, new_owner = pair.old.resolve(contract.receiver), pair.now(contract.receiver)
    if old_owner is None or new_owner is None or new_owner.kind != "class":
        return
    before = pair.old.member(old_owner, contract.name)
    after = pair.new.member(new_owner, contract.name)
    if before is None or after is None or not before.functions or not after.functions:
        return
    old, new = before.functions[-1], after.functions[-1]
    if not is_property(new) and fitted_before(contract.ours, old, new_owner):
        yield from compare_replacement(contract, contract.ours, old, new, after.symbol, new_owner, pair)
