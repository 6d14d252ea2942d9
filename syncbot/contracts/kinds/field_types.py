"""Fields and properties that the backend reads, as far as upstream declares what they hold."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from syncbot.api.annotated_classes import named_class
from syncbot.api.expressions import dotted, last_name
from syncbot.api.fields import call_options
from syncbot.api.local_classes import as_written
from syncbot.api.methods import is_accessor, is_property
from syncbot.api.model import Attribute, Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.annotation_differences import builtin_name
from syncbot.contracts.attributes.asked_of_values import asked, lacking, surely_lacks
from syncbot.contracts.attributes.doubts import is_set_on_self
from syncbot.contracts.attributes.init_only import is_init_only
from syncbot.contracts.attributes.standard_library import standard_class, standard_class_has
from syncbot.contracts.attributes.tensors import is_tensor, tensor_has
from syncbot.contracts.calls.operations import Steps, newly_refused, operation, shown
from syncbot.contracts.calls.uses_of_names import tested_in
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

_PLAIN: dict[str, type] = {
    t.__name__: t for t in (str, bytes, int, float, bool, list, tuple, dict, set, frozenset)
}
_ERRORS = ("TypeError", "AttributeError")

# The class that declares a field or a property, and the declaration.
_Declared: TypeAlias = tuple[Symbol, Attribute | Function]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldTypeContract(Contract):
    """A read of the field or property ``name`` of an object of ``receiver``; ``asked`` is what is
    asked of the value, ``steps`` what is computed with it; ``changed``: it is put back by ``+=``."""

    receiver: str
    name: str
    asked: str = ""
    steps: Steps = ()
    changed: bool = False


@finder(ast.Attribute)
def find_reads(node: ast.Attribute, context: Context) -> Iterator[FieldTypeContract]:
    """Reads of annotated fields of upstream classes."""
    changed = isinstance(context.parent, ast.AugAssign) and context.parent.target is node
    base = context.infer(node.value) if changed or isinstance(node.ctx, ast.Load) else None
    if base is None or not base.instance:
        return
    field = declared_field(context.universe, base.symbol, node.attr)
    if field is not None and context.is_upstream(field[0].module):
        wanted, steps = ("", ()) if _is_tested(node, context) else _done_with(node, context)
        if (changed or isinstance(field[1], Function)) and not wanted and not steps:
            return
        yield FieldTypeContract(
            symbol=f"{field[0].name}.{node.attr}",
            receiver=base.symbol.name,
            name=node.attr,
            asked=wanted,
            steps=steps,
            changed=changed,
            place=context.place(node),
        )


def _is_tested(node: ast.Attribute, context: Context) -> bool:
    """Whether the code around tells apart what the value is."""
    tested = dotted(node) in tested_in(context.function)
    return tested or catches_attribute_error(context.parents, node, _ERRORS)


def _done_with(node: ast.Attribute, context: Context) -> tuple[str, Steps]:
    """Return what is asked of the value of an expression, and what is computed with it."""
    return asked(node, context.parent), operation(node, context.parents)


@judge(FieldTypeContract)
def judge_field_type(contract: FieldTypeContract, pair: Comparison) -> Iterator[Finding]:
    """The field is declared to hold something else."""
    old_class, new_class = pair.old.resolve(contract.receiver), pair.now(contract.receiver)
    if old_class is None or new_class is None:
        return
    before = declared_field(pair.old, old_class, contract.name)
    after = declared_field(pair.new, new_class, contract.name)
    if before is None or after is None or _is_given_only(pair.new, new_class, contract.name):
        return
    was, now = before[1].annotation, after[1].annotation
    other = pair.other_type((before[0].module, was), (after[0].module, now))
    if other == "None" and contract.asked:
        yield from _now_empty(contract, before, after, pair)
    if other in ("type", "elements"):
        symbol = f"{after[0].name}.{contract.name}"
        fails = _lacks(pair.new, after[0].module, now, contract.asked)
        said = as_written(was or ""), as_written(now or "")
        reason = f"{symbol} was declared as {said[0]} and is now declared as {said[1]}"
        if fails and _had(pair.old, before[0].module, was, contract.asked):
            ground, reason = Ground.RESULT_OF_OTHER_KIND, f"{reason}, which {lacking(contract.asked)}"
        elif step := newly_refused(contract.steps, _simple(was), _simple(now)):
            ground, reason = Ground.RESULT_OF_OTHER_KIND, f"{reason}, for which {shown(step)} fails"
        elif contract.changed or isinstance(after[1], Function):
            return
        else:
            ground = Ground.DECLARED
        found = Finding(
            contract, ChangeKind.FIELD_TYPE_CHANGED, symbol, ground, reason, subject=contract.name
        )
        fails = ground is Ground.RESULT_OF_OTHER_KIND
        ours = fails and is_set_on_self(contract.name, contract.place, new_class, pair)
        yield found.doubted(Ground.SET_HERE, ", but the code here sets it on self as well") if ours else found


def _now_empty(
    contract: FieldTypeContract, before: _Declared, after: _Declared, pair: Comparison
) -> Iterator[Finding]:
    """Where nothing is given the field is None now, which cannot do what the backend asks of it."""
    if any(f".{contract.name}" in guard for guard in contract.place.guards):
        return
    could = _had(pair.old, before[0].module, before[1].annotation, contract.asked)
    if could and not hasattr(None, contract.asked) and _is_none(after[1]) and not _is_none(before[1]):
        symbol = f"{after[0].name}.{contract.name}"
        reason = f"{symbol} is now None where it is not given, and None {lacking(contract.asked)}"
        kind, ground = ChangeKind.FIELD_TYPE_CHANGED, Ground.DECLARED
        yield Finding(contract, kind, symbol, ground, reason, subject=contract.name)


def _is_none(declared: Attribute | Function) -> bool:
    """Whether a field is None unless it is given another value."""
    value = declared.value if isinstance(declared, Attribute) else None
    options = call_options(value) if value is not None and last_name(value) in ("field", "Field") else None
    return (options.get("default", options.get("")) if options is not None else value) == "None"


def _is_given_only(universe: Universe, owner: Symbol, name: str) -> bool:
    """Whether objects do not have the field at all: that is told of the attribute."""
    member = universe.member(owner, name)
    return member is not None and is_init_only(member, universe)


def _simple(annotation: str | None) -> str:
    """The name of the type that an annotation allows beside None, in today's words."""
    name = builtin_name(named_class(annotation or "") or "").rpartition(".")[2]
    return "str" if name == "Text" else name


def _had(universe: Universe, module: str, annotation: str | None, name: str) -> bool:
    """Whether what an annotation declares is sure to have an attribute that the backend asks for; a class of
    another package has what its users ask for."""
    plain = _PLAIN.get(_simple(annotation))
    if plain is not None:
        return hasattr(plain, name)
    found = universe.annotation_class(module, annotation)
    if found is not None:
        return universe.member(found, name) is not None
    written = named_class(annotation or "") or ""
    outside = universe.local(module, written) if written else None
    return outside is not None and outside.kind == "unknown" and universe.tree_of(outside.module) is None


def _lacks(universe: Universe, module: str, annotation: str | None, name: str) -> bool:
    """Whether what an annotation declares is sure to have no such attribute."""
    if not name:
        return False
    plain = _PLAIN.get(_simple(annotation))
    if plain is not None:
        return not hasattr(plain, name)
    found = universe.annotation_class(module, annotation)
    if found is None:
        written = universe.external_name(module, named_class(annotation or "") or "")
        if is_tensor(written):
            return not tensor_has(name)
        standard = standard_class(written) if "." in written else None
        return standard is not None and not standard_class_has(standard, name)
    if universe.member(found, name) is not None:
        return False
    outside = universe.lineage(found).external
    if any(base.rpartition(".")[2] == "Enum" for base in outside) and len(outside) == 1:
        return not hasattr(enum.Enum, name) and name not in ("name", "value")
    return surely_lacks(universe, found, name)


def declared_field(universe: Universe, owner: Symbol, name: str) -> _Declared | None:
    """The class that declares a field or a property, and its only annotated declaration there."""
    member = universe.member(owner, name)
    if member is None:
        return None
    declared: list[Attribute | Function] = [a for a in member.attributes if a.annotation]
    if not declared and member.functions and is_property(member.functions[-1]):
        declared = [f for f in member.functions if f.annotation and not is_accessor(f)]
    return (member.owner, declared[0]) if len(declared) == 1 else None
