"""Attributes of objects whose class cannot be told, by names that only upstream gives a meaning to."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode
from syncbot.api.symbols import Symbol
from syncbot.contracts.attributes.tensors import tensor_has
from syncbot.contracts.attributes.torch_modules import torch_module_has
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.guards import tests_for
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.subclasses import first_upstream
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

#: Shorter names, or names of one word, may come from anywhere.
MINIMUM_LENGTH = 9
# So many names are followed to what they are given.
_DEPTH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseNameContract(Contract):
    """``….name`` on a receiver of unknown class that the code shows to come from upstream; ``symbol`` is the
    name itself."""

    tolerant: bool = False


@finder(ast.Attribute)
def find_loose_names(node: ast.Attribute, context: Context) -> Iterator[LooseNameContract]:
    """Reads of telling names on receivers that are unknown, or whose known class does not define them."""
    name = node.attr
    if not is_telling(name) or not isinstance(node.ctx, ast.Load) or name in context.own_names:
        return
    base = context.infer(node.value)
    if base is not None and (not base.instance or context.universe.member(base.symbol, name, base.skip)):
        return
    if base is None and _foreign(node.value, context):
        return
    # What an object is called says nothing of where it comes from.
    if _is_linked(node.value, context):
        yield LooseNameContract(
            symbol=name, tolerant=tests_for(context.guards, name), place=context.place(node)
        )


def is_telling(name: str) -> bool:
    """Whether an attribute of that name hardly comes from anywhere else: torch has no such one."""
    if len(name) < MINIMUM_LENGTH or "_" not in name.strip("_") or name.startswith("__"):
        return False
    return not torch_module_has(name) and not tensor_has(name)


def _is_linked(receiver: ast.expr, context: Context) -> bool:
    """Whether the code shows that an object comes from upstream: it is reached by way of something that does,
    or in a class or function that upstream calls."""
    return _comes_from(receiver, context, _DEPTH) or _is_called_by_upstream(context)


def _comes_from(receiver: ast.expr, context: Context, depth: int) -> bool:
    part = receiver
    while isinstance(part, ast.Attribute | ast.Call | ast.Subscript):
        part = part.func if isinstance(part, ast.Call) else part.value
        known = context.infer(part)
        if known is not None and _is_of_upstream(known.symbol, context):
            return True
    function = context.function
    given = _given_in(function).get(part.id, ()) if isinstance(part, ast.Name) and function else ()
    return depth > 0 and any(_comes_from(ast.Call(each, [], []), context, depth - 1) for each in given)


@lru_cache(maxsize=64)
def _given_in(function: FunctionNode) -> Mapping[str, Sequence[ast.expr]]:
    """Return what the names of a function are given, one by one or from what a loop goes through."""
    found: dict[str, list[ast.expr]] = defaultdict(list)
    for node in every_node(function):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
                | ast.For(target=ast.Name(id=name), iter=value)
                | ast.comprehension(target=ast.Name(id=name), iter=value)
                | ast.withitem(context_expr=value, optional_vars=ast.Name(id=name))
            ):
                found[name].append(value)
    return found


def _is_called_by_upstream(context: Context) -> bool:
    around = context.class_around
    own = context.class_named(_class_path(context, around)) if around is not None else None
    if own is not None and _is_of_upstream(own, context):
        return True
    if any(isinstance(p, FunctionNode) and p in context.adopted for p in context.parents):
        return True
    names = (context.file.module, *context.qualname)
    return any(".".join(names[:length]) in context.placed for length in range(2, len(names) + 1))


def _class_path(context: Context, around: ast.ClassDef) -> tuple[str, ...]:
    names = context.qualname
    last = max((n for n, name in enumerate(names) if name == around.name), default=-1)
    return tuple(names[: last + 1])


def _is_of_upstream(symbol: Symbol, context: Context) -> bool:
    """Whether a symbol is upstream's, or a class that derives from one of its classes."""
    if context.is_upstream(symbol.module):
        return True
    return symbol.kind == "class" and first_upstream(symbol, context.universe, context.upstream) is not None


def _foreign(receiver: ast.expr, context: Context) -> bool:
    """Whether the receiver begins with something imported from neither the backend nor upstream."""
    while isinstance(receiver, ast.Attribute | ast.Call | ast.Subscript):
        receiver = receiver.func if isinstance(receiver, ast.Call) else receiver.value
    if not isinstance(receiver, ast.Name):
        return False
    found = context.universe.local(context.file.module, receiver.id)
    return found is not None and context.universe.tree_of(found.module) is None


@judge(LooseNameContract)
def judge_loose_name(contract: LooseNameContract, pair: Comparison) -> Iterator[Finding]:
    """The name was defined upstream and is defined nowhere now, or in less than half as many places."""
    if not pair.vanished_name(contract.symbol):
        return
    homes = pair.old_names.homes((*pair.changed, *pair.removed), contract.symbol)
    mentioning = pair.new_tree.mentioning(pair.new_tree.modules, contract.symbol)
    left = pair.new_names.homes(mentioning, contract.symbol)
    fewer = "few modules upstream still define:" if left else "upstream no longer defines"
    reason = f"{fewer} {contract.symbol} (before: {', '.join(homes[:2])})"
    if contract.tolerant:
        reason += ": the test for it here will fail silently"
    yield Finding(
        contract, ChangeKind.NAME_VANISHED, contract.symbol, Ground.UNKNOWN_RECEIVER, reason,
        subject=contract.symbol,
    )  # fmt: skip
