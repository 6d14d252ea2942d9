"""Attributes that a decorator gives to upstream's functions and that plain functions do not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import last_name
from syncbot.api.model import Function
from syncbot.api.symbols import Symbol
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.conditions.guards import tests_for
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

# By the decorators that give them (https://docs.python.org/3/library/functools.html).
_GIVEN_BY = {
    **dict.fromkeys(("cache_clear", "cache_info", "cache_parameters"), ("cache", "lru_cache")),
    **dict.fromkeys(("register", "dispatch", "registry"), ("singledispatch",)),
    **dict.fromkeys(("remote", "options"), ("remote",)),
    "__wrapped__": ("cache", "lru_cache", "wraps", "contextmanager", "asynccontextmanager"),
}
# What leaves a function one without such attributes.
_PLAIN = {"staticmethod", "classmethod", "override", "final"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionAttributeContract(Contract):
    """The attribute ``name`` of the function ``symbol``; ``tolerant``: it may be missing."""

    name: str
    tolerant: bool = False


@finder(ast.Attribute, words=_GIVEN_BY)
def find_function_attributes(node: ast.Attribute, context: Context) -> Iterator[FunctionAttributeContract]:
    """``upstream.function.cache_clear``."""
    givers = _GIVEN_BY.get(node.attr)
    found = context.infer(node.value) if givers and isinstance(node.ctx, ast.Load) else None
    if givers is None or found is None or found.instance or not context.is_upstream(found.symbol.module):
        return
    if any(decorator in givers for f in found.symbol.functions[-1:] for decorator in _decorators(f)):
        yield FunctionAttributeContract(
            symbol=found.symbol.name,
            name=node.attr,
            tolerant=tests_for(context.guards, node.attr) or catches_attribute_error(context.parents, node),
            place=context.place(node),
        )


@judge(FunctionAttributeContract)
def judge_function_attribute(contract: FunctionAttributeContract, pair: Comparison) -> Iterator[Finding]:
    """The function has no decorator any more that may give the attribute."""
    after = pair.now(contract.symbol)
    if after is not None and after.kind == "function" and _is_plain(after) and not _is_set(contract, pair):
        ground = Ground.TESTED_FOR if contract.tolerant else Ground.MEMBER_GONE
        yield Finding(
            contract, ChangeKind.ATTRIBUTE_REMOVED, f"{after.name}.{contract.name}", ground,
            f"{after.name} is a plain function now, which has no {contract.name}", subject=contract.name,
        )  # fmt: skip


def _is_set(contract: FunctionAttributeContract, pair: Comparison) -> bool:
    """Whether a module sets the attribute on the function, or another one in the function's place."""
    home, _, name = contract.symbol.rpartition(".")
    for tree in (pair.own_tree, pair.new_tree):
        if tree.mentioning(tree.modules, f"{name}.{contract.name} ="):
            return True
        # Whoever sets it on the module speaks of that as well.
        if tree.mentioning(tree.mentioning(tree.modules, f".{name} ="), home.rpartition(".")[2]):
            return True
    return False


def _is_plain(symbol: Symbol) -> bool:
    """Whether a function has nothing but what it defines: nobody puts anything in its place either."""
    functions = symbol.functions
    alone = len(functions) == len(symbol.nodes) == 1
    return alone and all(decorator in _PLAIN for decorator in _decorators(functions[0]))


def _decorators(function: Function) -> Iterator[str]:
    return map(last_name, function.decorators)
