"""Expressions that give a module which is asked for by its name."""

from __future__ import annotations

import ast

from syncbot.api.expressions import dotted

_TABLE = "sys.modules"


def module_by_name(node: ast.Call | ast.Subscript) -> str | None:
    """The name of the module that ``import_module("a.b")``, ``sys.modules["a.b"]`` or
    ``sys.modules.get("a.b")`` gives; None for another expression."""
    match node:
        case (
            ast.Call(
                func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name))],
            )
            | ast.Subscript(value=ast.Attribute(attr="modules"), slice=ast.Constant(value=str(name)))
            | ast.Call(
                func=ast.Attribute(value=ast.Attribute(attr="modules"), attr="get"),
                args=[ast.Constant(value=str(name))],
            )
        ) if not name.startswith("."):
            table = node.value if isinstance(node, ast.Subscript) else node.func
            written = (dotted(table) or "").removesuffix(".get")
            return name if written.endswith("import_module") or written == _TABLE else None
    return None
