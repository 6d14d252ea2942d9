"""Decorators of upstream's that are written without arguments: Python calls them with what stands below."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from syncbot.api.expressions import FunctionNode
from syncbot.api.signatures import Arguments
from syncbot.contracts.calls.callees import callee
from syncbot.contracts.calls.targets import CallContract, defining
from syncbot.contracts.context import Context
from syncbot.contracts.registry import finder


@finder(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
def find_plain_decorators(node: FunctionNode | ast.ClassDef, context: Context) -> Iterator[CallContract]:
    """``@upstream`` as the call of it that it is."""
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Name | ast.Attribute):
            continue
        named = callee(decorator, context.place(decorator), context)
        target = defining(named, context.universe) if named is not None else None
        if named is not None and target is not None and context.is_upstream(target):
            yield replace(named, arguments=Arguments(1, (), named=("",)), used=False)
