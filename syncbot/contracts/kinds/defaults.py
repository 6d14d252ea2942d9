"""Values that the backend takes over as they are: defaults of parameters and of fields, constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, last_name
from syncbot.api.fields import call_options
from syncbot.api.model import Attribute
from syncbot.api.statement_parts import imported
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.calls.targets import CallContract, Target, reached_in
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.calls import find_calls
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

_SAME, _OTHER = (ast.Is, ast.Eq), (ast.IsNot, ast.NotEq)


@dataclass(frozen=True, slots=True)
class _Question:
    """An ``if`` that asks for a default: its test, what runs where it was left, and where it was not."""

    test: ast.expr
    left: list[ast.stmt]
    given: list[ast.stmt]


def stands_for(node: FunctionNode, name: str, default: str) -> str:
    """Return what a function does with a default that it only asks for: the default itself where it uses it,
    else what it sets the parameter to instead, ``""`` where it uses nothing."""
    questions = [q for n in every_node(node) if isinstance(n, ast.If) and (q := _question(n, name, default))]
    for question in questions:
        match question.left:
            case [ast.Assign(targets=[ast.Name(id=bound)], value=ast.Constant() as value)] if bound == name:
                return ast.unparse(value)
    apart = {id(n) for q in questions for part in (q.test, *q.given) for n in every_node(part)}
    uses = (n for n in every_node(node) if isinstance(n, ast.Name) and n.id == name and id(n) not in apart)
    return default if not questions or any(True for _ in uses) else ""


def _question(node: ast.If, name: str, default: str) -> _Question | None:
    match node.test:
        case ast.Compare(left=ast.Name(id=left), ops=[test], comparators=[right]) if left == name:
            if ast.unparse(right) != default or not isinstance(test, (*_SAME, *_OTHER)):
                return None
            same = isinstance(test, _SAME)
            return _Question(node.test, *((node.body, node.orelse) if same else (node.orelse, node.body)))
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultContract(Contract):
    """A call that leaves parameters to their defaults."""

    call: CallContract


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueContract(Contract):
    """The value of a constant that is imported or, with ``receiver``, the default of a field that is read."""

    receiver: str = ""
    name: str = ""


@finder(ast.Call)
def find_defaults(node: ast.Call, context: Context) -> Iterator[DefaultContract]:
    """Calls of upstream functions that pass no unknown arguments."""
    for call in find_calls(node, context):
        if not call.arguments.starred and not call.arguments.hides_keywords:
            yield DefaultContract(symbol=call.symbol, call=call, place=call.place)


@finder(ast.ImportFrom)
def find_constants(node: ast.ImportFrom, context: Context) -> Iterator[ValueContract]:
    """Imported names that upstream writes as constants."""
    for item in imported(node, ""):
        if item.level or item.name is None or not item.name.isupper() or not context.is_upstream(item.module):
            continue
        symbol = f"{item.module}.{item.name}"
        if _constant(context.universe.resolve(symbol)) is not None:
            yield ValueContract(symbol=symbol, place=context.place(node))


@finder(ast.Attribute)
def find_fields(node: ast.Attribute, context: Context) -> Iterator[ValueContract]:
    """Reads of fields with a default."""
    base = context.infer(node.value) if isinstance(node.ctx, ast.Load) else None
    if base is None or not base.instance:
        return
    if _field(context.universe, base.symbol, node.attr) is None:
        return
    member = context.universe.member(base.symbol, node.attr)
    if member is not None and context.is_upstream(member.owner.module):
        yield ValueContract(
            symbol=member.symbol, receiver=base.symbol.name, name=node.attr, place=context.place(node)
        )


@judge(DefaultContract)
def judge_default(contract: DefaultContract, pair: Comparison) -> Iterator[Finding]:
    """A parameter that is left out has another default."""
    before, after = reached_in(contract.call, pair)
    if before is None or after is None or len(before.signatures) != 1 or len(after.signatures) != 1:
        return
    old, new = before.signatures[0], after.signatures[0]
    arguments = contract.call.arguments
    passed = {*arguments.keywords, *(p.name for p in new.positional[: arguments.positional])}
    for parameter in old.parameters:
        now = new.get(parameter.name)
        if now is None or parameter.name in passed:
            continue
        was_value, now_value = _literal(parameter.default), _literal(now.default)
        if was_value is None or now_value is None or was_value == now_value:
            continue
        meant = _meant(after, parameter.name, now.default, pair)
        if meant and _literal(meant) != was_value:
            reason = (
                f"the default of {parameter.name} of {after.symbol}() was {was_value} and is now "
                f"{now_value}; this call leaves it out"
            )
            yield Finding(
                contract, ChangeKind.DEFAULT_CHANGED, after.symbol, Ground.VALUE_CHANGED, reason,
                subject=parameter.name,
            )  # fmt: skip


def _meant(after: Target, name: str, default: str | None, pair: Comparison) -> str:
    """Return what a default stands for in the function that has it, empty where it is not used."""
    owner = after.owner.qualname if after.owner is not None else ""
    node = function_node(pair.new, after.module, after.running[0], owner) if after.running else None
    return stands_for(node, name, default or "") if node is not None else default or ""


@judge(ValueContract)
def judge_value(contract: ValueContract, pair: Comparison) -> Iterator[Finding]:
    """The constant or the default is another one."""
    if contract.receiver:
        old_class, new_class = pair.old.resolve(contract.receiver), pair.now(contract.receiver)
        was = _field(pair.old, old_class, contract.name) if old_class is not None else None
        now = _field(pair.new, new_class, contract.name) if new_class is not None else None
        what = f"the default of {contract.symbol}"
    else:
        was, now = _constant(pair.old.resolve(contract.symbol)), _constant(pair.now(contract.symbol))
        what = contract.symbol
    if was is not None and now is not None and was != now:
        kind = ChangeKind.FIELD_DEFAULT_CHANGED if contract.receiver else ChangeKind.CONSTANT_CHANGED
        reason = f"{what} was {was} and is now {now}"
        yield Finding(contract, kind, contract.symbol, Ground.VALUE_CHANGED, reason, subject=contract.name)


def _constant(symbol: Symbol | None) -> str | None:
    nodes = symbol.nodes if symbol is not None and symbol.kind == "variable" else ()
    values = {_literal(n.value) if isinstance(n, Attribute) and not n.guards else None for n in nodes}
    return values.pop() if len(values) == 1 else None


def _field(universe: Universe, owner: Symbol, name: str) -> str | None:
    member = universe.member(owner, name)
    declared = [a for a in member.attributes if not a.origin and a.annotation] if member is not None else []
    if len(declared) != 1 or declared[0].value is None:
        return None
    value = declared[0].value
    if last_name(value) in ("field", "Field"):
        options = call_options(value) or {}
        return _literal(options.get("default", options.get("")))
    return _literal(value)


# The same few are read again and again, and each reading leaves a ring of closures to the cycle collector.
@lru_cache(maxsize=4096)
def _literal(text: str | None) -> str | None:
    """A number, a string, a truth value or None as normalised text; None for anything else."""
    if text is None:
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return repr(value) if value is None or isinstance(value, int | float | str) else None
