"""Objects of upstream's classes that a call passes, held against the classes that parameters are declared
with."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from syncbot.api.symbols import Symbol
from syncbot.contracts.attributes.asked_of_values import surely_lacks
from syncbot.contracts.calls.declared_arguments import converts, excluded, parameter
from syncbot.contracts.calls.targets import CallContract, Target
from syncbot.contracts.calls.used_attributes import asked_in_vain
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Finding


def passed_objects(node: ast.Call, context: Context) -> Iterator[tuple[str, str]]:
    """The upstream classes of the names and attributes that a call passes, by place (``0``) or keyword."""
    for place, argument in enumerate(node.args):
        if isinstance(argument, ast.Starred):
            break
        if name := _class_of(argument, context):
            yield str(place), name
    for keyword in node.keywords:
        if keyword.arg and (name := _class_of(keyword.value, context)):
            yield keyword.arg, name


def _class_of(node: ast.expr, context: Context) -> str:
    value = context.infer(node) if isinstance(node, ast.Name | ast.Attribute) else None
    known = value is not None and value.instance and value.symbol.kind == "class"
    return value.symbol.name if value and known and context.is_upstream(value.symbol.module) else ""


def of_another_class(
    contract: CallContract, before: Target, after: Target, pair: Comparison
) -> Iterator[Finding]:
    """Yield a finding where what is passed was of the class declared and is not of that declared now: it
    breaks where something is read of it that its class lacks."""
    if not contract.objects or len(before.running) != 1 or len(after.running) != 1:
        return
    old, new = before.signatures[-1], after.signatures[-1]
    for key, name in contract.objects:
        was, now = parameter(old, key), parameter(new, key)
        if was is None or now is None or was.annotation == now.annotation or now.kind in ("*", "**"):
            continue
        passed, later = pair.old.resolve(name), pair.now(name)
        asked = excluded(pair.new, after.module, now.annotation, name)
        if passed is None or later is None or later.kind != "class" or asked is None:
            continue
        if not _was_right(passed, was.annotation, before, pair) or _kin(later, asked, pair):
            continue
        owner = after.owner.qualname if after.owner is not None else ""
        if converts(
            pair.new, after.module, after.running[0], owner, now.name, asked.qualname.rpartition(".")[2]
        ):
            continue
        node = function_node(pair.new, after.module, after.running[0], owner)
        read = asked_in_vain(node, after.running[0], now.name, partial(surely_lacks, pair.new, later))
        given = f"this passes an object of {later.name}"
        reason = f"{after.symbol}() took {was.annotation} there and takes {now.annotation} now; {given}"
        yield Finding(
            contract, ChangeKind.PARAMETER_TYPE_CHANGED, after.symbol,
            Ground.PASSED_OF_OTHER_TYPE if read is not None else Ground.DECLARED,
            f"{reason}, which has no {read}" if read is not None else reason,
            subject=now.name,
        )  # fmt: skip


def _was_right(passed: Symbol, annotation: str | None, before: Target, pair: Comparison) -> bool:
    """Whether an object of a class was of the one that the parameter was declared with."""
    declared = pair.old.annotation_class(before.module, annotation)
    return declared is not None and declared.name in {c.name for c in pair.old.lineage(passed).classes}


def _kin(passed: Symbol, asked: Symbol, pair: Comparison) -> bool:
    """Whether one class derives from the other, so that an object may be of both, or bears its name."""
    if passed.qualname.rpartition(".")[2] == asked.qualname.rpartition(".")[2]:
        return True
    names = [{c.name for c in pair.new.lineage(class_).classes} for class_ in (passed, asked)]
    return asked.name in names[0] or passed.name in names[1]
