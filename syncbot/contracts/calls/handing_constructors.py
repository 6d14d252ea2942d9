"""Constructors of the backend's classes that hand all that they are given on to the next one: who makes such
an object calls that one."""

from __future__ import annotations

import ast
from dataclasses import replace

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode
from syncbot.api.model import Function
from syncbot.api.symbols import Symbol
from syncbot.contracts.calls.targets import CallContract
from syncbot.contracts.context import Context
from syncbot.contracts.function_sources import function_node


def past_handing(contract: CallContract, context: Context) -> CallContract:
    """The call of the first constructor that does not only hand on, where the contract names a class; the
    contract itself where its own constructor takes the arguments."""
    class_ = context.universe.resolve(contract.symbol) if not contract.receiver else None
    if class_ is None or class_.kind != "class" or context.is_upstream(class_.module):
        return contract
    skip = 0
    for place, owner in enumerate(context.universe.lineage(class_).classes):
        if context.is_upstream(owner.module):
            break
        made = [n for n in context.universe.defined(owner, "__init__") if isinstance(n, Function)]
        if made and not _hands_on(made, owner, context):
            return contract
        skip = place + 1 if made else skip
    if not skip:
        return contract
    symbol = f"{class_.name}.__init__"
    return replace(contract, symbol=symbol, receiver=class_.name, name="__init__", skip=skip, bound=True)


def _hands_on(made: list[Function], owner: Symbol, context: Context) -> bool:
    """Whether a constructor takes any arguments and passes all of them to the next one, whatever else it
    does."""
    if len(made) != 1 or [p.kind for p in made[0].parameters[1:]] != ["*", "**"]:
        return False
    node = function_node(context.universe, owner.module, made[0], owner.qualname)
    return node is not None and any(map(_is_next, node.body)) and _is_read_once(node)


def _is_next(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"),
                args=[ast.Starred(value=ast.Name())],
                keywords=[ast.keyword(arg=None, value=ast.Name())],
            )
        ):
            return True
    return False


def _is_read_once(node: FunctionNode) -> bool:
    """Whether the arguments are named in one place alone: nothing is put in or taken out before."""
    names = [a.arg for a in (node.args.vararg, node.args.kwarg) if a is not None]
    read = [n.id for n in every_node(node) if isinstance(n, ast.Name) and n.id in names]
    return sorted(read) == sorted(names)
