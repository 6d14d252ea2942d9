"""Results of upstream's functions that a ``with`` statement of the backend enters."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.model import Function
from syncbot.api.universe import Universe
from syncbot.contracts.annotation_differences import builtin_name
from syncbot.contracts.attributes.asked_of_values import surely_lacks
from syncbot.contracts.calls.targets import CallContract, Target, reached_in
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.calls import find_calls
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

_MAKERS = {"contextmanager": "with", "asynccontextmanager": "async with"}
_STACKS = {"enter_context": "with", "enter_async_context": "async with"}
_METHODS = {"with": "__enter__", "async with": "__aenter__"}
_BUILT_IN = {"list", "tuple", "dict", "set", "frozenset", "str", "bytes", "int", "float", "bool", "None"}
_AS_IT_IS = {"staticmethod", "classmethod"}
_LITERALS = (ast.Constant, ast.List, ast.ListComp, ast.Tuple, ast.Dict, ast.DictComp, ast.Set, ast.Compare)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnteredResultContract(Contract):
    """The result of ``call`` is entered ``by`` a statement: ``with``, or ``async with``."""

    call: CallContract
    by: str


@finder(ast.Call)
def find_entered(node: ast.Call, context: Context) -> Iterator[EnteredResultContract]:
    """``with f():`` and ``stack.enter_context(f())``."""
    match context.parent:
        case ast.withitem(context_expr=entered) if entered is node:
            by = "async with" if isinstance(context.parents[-2], ast.AsyncWith) else "with"
        case ast.Call(func=ast.Attribute(attr=attr), args=[entered]) if entered is node and attr in _STACKS:
            by = _STACKS[attr]
        case _:
            return
    for call in find_calls(node, context):
        yield EnteredResultContract(symbol=call.symbol, call=call, by=by, place=call.place)


@judge(EnteredResultContract)
def judge_entered(contract: EnteredResultContract, pair: Comparison) -> Iterator[Finding]:
    """The function made a context manager of that sort, and what it gives now is none."""
    before, after = reached_in(contract.call, pair)
    if before is None or after is None or len(before.running) != 1 or len(after.running) != 1:
        return
    old, new = before.running[0], after.running[0]
    if _made_for(old) != contract.by:
        return
    given = _other(after, new, contract.by, pair.new)
    if given is not None:
        yield Finding(
            contract, ChangeKind.RETURN_KIND_CHANGED, after.symbol, Ground.RESULT_OF_OTHER_KIND,
            f"{after.symbol}() gave what {contract.by} enters; now it gives {given}",
        )  # fmt: skip


def _made_for(function: Function) -> str:
    """The statement that enters what a decorator makes of a function's result."""
    last = function.decorators[-1].rpartition(".")[2] if function.decorators else ""
    return _MAKERS.get(last, "")


def _other(target: Target, function: Function, by: str, universe: Universe) -> str | None:
    """In words what a function gives that cannot be entered; None where it may be."""
    made = _made_for(function)
    if made:
        return None if made == by else f"what {made} enters"
    if function.unimplemented or set(function.decorators) - _AS_IT_IS:
        return None
    if function.is_async:
        return "a generator" if function.is_generator else "a coroutine"
    if function.is_generator:
        return "a generator"
    if function.annotation is not None:
        return _declared(target.module, function.annotation, by, universe)
    owner = target.owner.qualname if target.owner is not None else ""
    node = function_node(universe, target.module, function, owner)
    inner = list(every_node(node)) if node is not None else []
    returned = [n.value for n in inner if isinstance(n, ast.Return)]
    plain = node is not None and all(v is None or isinstance(v, _LITERALS) for v in returned)
    return "a plain value" if plain else None


def _declared(module: str, annotation: str, by: str, universe: Universe) -> str | None:
    if builtin_name(annotation.strip("'\"").partition("[")[0]) in _BUILT_IN and "|" not in annotation:
        return annotation
    class_ = universe.annotation_class(module, annotation)
    lacks = class_ is not None and surely_lacks(universe, class_, _METHODS[by])
    return annotation if lacks else None
