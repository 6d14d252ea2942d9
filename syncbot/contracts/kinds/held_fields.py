"""Fields that only upstream assigns, and that hold something else now, such as a buffer around a tensor: what
the backend does with the value is asked of that."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from syncbot.api.expressions import dotted, expression
from syncbot.api.local_classes import as_written
from syncbot.api.symbols import Member, Symbol
from syncbot.contracts.attributes.asked_of_values import asked, surely_lacks
from syncbot.contracts.attributes.doubts import put_there
from syncbot.contracts.attributes.set_before import set_before
from syncbot.contracts.attributes.tensors import gives_tensor, tensor_has
from syncbot.contracts.calls.uses_of_names import tested_in
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.values import Value
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

_OF_EVERY_CONDITION = {"if", "else", "try", "except", "self", "not", "and", "or", "is", "in", "None"}


@dataclass(frozen=True, slots=True)
class AskedField:
    """A field that only upstream assigns, on what it is read, and what its value has to have."""

    receiver: Value
    member: Member
    asked: str


def asked_field(node: ast.Attribute, context: Context) -> AskedField | None:
    """Return what is read here where that is such a field; None for anything else."""
    wanted = asked(node, context.parent) if isinstance(node.ctx, ast.Load) else ""
    base = context.infer(node.value) if wanted else None
    if base is None or not base.instance:
        return None
    member = context.universe.member(base.symbol, node.attr, base.skip)
    if member is not None and _on_conditions(member, context):
        member = _behind(member, base.symbol, context)
        base = Value(member.owner, instance=True) if member is not None else base
    if member is None or not is_field(member) or not context.is_upstream(member.owner.module):
        return None
    return AskedField(base, member, wanted)


def _on_conditions(member: Member, context: Context) -> bool:
    """Whether the backend assigns a field only where something holds that is not asked here: else it is as
    upstream has it."""
    if not is_field(member) or context.is_upstream(member.owner.module):
        return False
    here = _words(context.guards)
    return all(a.guards and not _words(a.guards) & here for a in member.attributes)


def _words(guards: Sequence[str]) -> set[str]:
    """The names in some conditions: those that share one may hold together."""
    return {word for guard in guards for word in re.findall(r"[A-Za-z_]\w*", guard)} - _OF_EVERY_CONDITION


def _behind(member: Member, class_: Symbol, context: Context) -> Member | None:
    """Return what the classes above the owner of a member have under its name."""
    chain = [c.name for c in context.universe.lineage(class_).classes]
    return context.universe.member(class_, member.name, chain.index(member.owner.name) + 1)


def is_field(member: Member) -> bool:
    """Whether it is nothing but a field; one that is declared has a contract of its own."""
    return len(member.attributes) == len(member.nodes) and not any(a.annotation for a in member.attributes)


_WRITTEN: dict[type[ast.expr], type] = {
    ast.Dict: dict,
    ast.DictComp: dict,
    ast.List: list,
    ast.ListComp: list,
    ast.Set: set,
    ast.SetComp: set,
    ast.Tuple: tuple,
    ast.JoinedStr: str,
}


def written_type(value: str | None) -> type | None:
    """The type of a list, a dictionary or the like that a text writes out; None for another expression."""
    node = expression(value) if value is not None else None
    return next((type_ for kind, type_ in _WRITTEN.items() if isinstance(node, kind)), None)


_CALL = re.compile(r"([A-Za-z_][\w.]*)\(")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldFieldContract(Contract):
    """The field ``name`` of an object of ``receiver`` is asked for the attribute ``asked``; it ``holds`` an
    object of that upstream class, which has it, or, where that is empty, nobody can tell what."""

    receiver: str
    name: str
    holds: str
    asked: str


@finder(ast.Attribute)
def find_held(node: ast.Attribute, context: Context) -> Iterator[HeldFieldContract]:
    """Fields that only upstream assigns, and that more is asked of."""
    field = asked_field(node, context)
    if field is None:
        return
    held = context.infer(node)
    if held is not None:
        if not held.instance or not context.is_upstream(held.symbol.module):
            return
        tested = dotted(node) in tested_in(context.function)
        if tested or context.universe.member(held.symbol, field.asked) is None:
            return
        if set_before(context.parents, node, context.file.text):
            return
    yield HeldFieldContract(
        symbol=field.member.symbol,
        receiver=field.receiver.symbol.name,
        name=node.attr,
        holds=held.symbol.name if held is not None else "",
        asked=field.asked,
        place=context.place(node),
    )


@judge(HeldFieldContract)
def judge_held(contract: HeldFieldContract, pair: Comparison) -> Iterator[Finding]:
    """Nothing but values that lack what is asked are assigned now."""
    old_class, new_class = pair.old.resolve(contract.receiver), pair.now(contract.receiver)
    if old_class is None or new_class is None:
        return
    before, after = pair.old.member(old_class, contract.name), pair.new.member(new_class, contract.name)
    if before is None or after is None or not pair.is_upstream(after.owner.module):
        return
    what = (
        _held_now(before, after, contract, pair)
        if contract.holds
        else _wrapped(before, after, contract, pair)
    )
    if what is None or what.has(contract.asked) or put_there(contract.name, new_class, pair):
        return
    held = f"held an object of {contract.holds} and " if contract.holds else ""
    aside = "" if what.known else ", unless that has it, too"
    yield Finding(
        contract, ChangeKind.FIELD_TYPE_CHANGED, after.symbol,
        Ground.RESULT_OF_OTHER_KIND if what.known else Ground.DOUBTED,
        f"{after.symbol} {held}holds {what.words} now: what is done with it needs {contract.asked}{aside}",
        subject=f"{contract.name}.{contract.asked}" if contract.holds else contract.name,
    )  # fmt: skip


def _wrapped(before: Member, after: Member, contract: HeldFieldContract, pair: Comparison) -> _Other | None:
    """The object of an upstream class around what was of no known class."""
    # Of several values one may be what the value was before.
    alone = len({a.value for a in after.attributes if a.value != "None"}) == 1
    return _of_a_class(after, contract, pair) if alone and pair.in_old.member(before) is None else None


def _held_now(before: Member, after: Member, contract: HeldFieldContract, pair: Comparison) -> _Other | None:
    """The value of another kind than the object of an upstream class that the field held."""
    if not is_field(after) or _written(after) <= {*_written(before), "None"}:
        return None
    what = _of_a_class(after, contract, pair)
    if what is None:
        values = {a.value for a in after.attributes if a.value != "None"}
        given = {_other(value, after, contract.asked, pair) for value in values}
        what = next(iter(given)) if len(given) == 1 else None
    return what


def _written(member: Member) -> set[str]:
    """The values that a member is given."""
    return {as_written(a.value or "") for a in member.attributes}


@dataclass(frozen=True, slots=True)
class _Other:
    """A value that is no object of the class that it was of: in words, and its type where that is a built-in
    one; ``known``: all that it has is seen."""

    words: str
    type_: type | None = None
    known: bool = False

    def has(self, name: str) -> bool:
        """Whether it is seen to have an attribute."""
        return self.type_ is not None and hasattr(self.type_, name)


def _of_a_class(after: Member, contract: HeldFieldContract, pair: Comparison) -> _Other | None:
    """The object of another upstream class that the field holds now, which lacks what is asked."""
    made = pair.in_new.member(after)
    if (
        made is None
        or not made.instance
        or made.symbol.kind != "class"
        or not pair.new_tree.owns(made.symbol.module)
    ):
        return None
    before = pair.now(contract.holds) if contract.holds else None
    kin: set[str] = {c.name for c in pair.new.lineage(made.symbol).classes}
    if contract.holds and (before is None or before.name in kin):
        return None
    if not surely_lacks(pair.new, made.symbol, contract.asked):
        return None
    return _Other(f"an object of {made.symbol.name}", known=True)


def _other(value: str | None, member: Member, asked: str, pair: Comparison) -> _Other | None:
    """Return what a value is that something outside upstream gives, or that is written out, of which
    ``asked`` is wanted."""
    known = written_type(value)
    if known is not None:
        return _Other(f"a {known.__name__}", known, known=True)
    made, module = _CALL.match(value or ""), member.owner.module
    root = pair.new.local(module, made[1].partition(".")[0]) if made is not None else None
    if made is None or root is None or pair.new.tree_of(root.module) is not None:
        return None
    maker = pair.new.external_name(module, made[1])
    return _Other(f"what {maker}() gives", known=gives_tensor(maker) and not tensor_has(asked))
