"""Expressions that give a module which is asked for by its name."""

from __future__ import annotations

import ast

from syncbot.api.expressions import dotted, expression, string
from syncbot.api.model import Attribute
from syncbot.api.universe import Universe
from syncbot.contracts.inference.values import Scope

_TABLE = "sys.modules"


def module_by_name(node: ast.Call | ast.Subscript, scope: Scope, universe: Universe) -> str | None:
    """The name of the module that an expression asks for, written out there or as a constant of the module
    around; None for another expression."""
    named = _asked_for(node)
    constant = dotted(named) if named is not None else None
    if constant is not None and not scope.binds(constant):
        found = universe.local(scope.module, constant)
        values = [n.value for n in found.nodes if isinstance(n, Attribute)] if found is not None else []
        named = expression(values[0] or "") if len(values) == 1 else None
    written = string(named) if named is not None else None
    return written if written is not None and not written.startswith(".") else None


def _asked_for(node: ast.Call | ast.Subscript) -> ast.expr | None:
    """The expression for the name of the module that ``import_module("a.b")``, ``sys.modules["a.b"]`` or
    ``sys.modules.get("a.b")`` gives; None for another expression."""
    match node:
        case (
            ast.Call(func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"), args=[name])
            | ast.Subscript(value=ast.Attribute(attr="modules"), slice=name)
            | ast.Call(func=ast.Attribute(value=ast.Attribute(attr="modules"), attr="get"), args=[name])
        ):
            table = node.value if isinstance(node, ast.Subscript) else node.func
            written = (dotted(table) or "").removesuffix(".get")
            return name if written.endswith("import_module") or written == _TABLE else None
    return None
