"""Who meets a name where it is defined now, and not where it is only imported."""

from __future__ import annotations

import ast

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode
from syncbot.api.statement_parts import type_checking
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree


def met_at_home(symbol: Symbol, elsewhere: str, tree: ModuleTree) -> bool:
    """Whether code of a tree reads a name in the module that defines it, or takes it from there: all but what
    is ``elsewhere``, where it has been given another value."""
    source = tree.source(symbol.module)
    if source is None or _read_in_functions(source, symbol.qualname):
        return True
    last = symbol.module.rpartition(".")[2]
    for module in tree.mentioning(tree.mentioning(tree.modules, last), symbol.qualname):
        table = tree.table(module) if module not in (elsewhere, symbol.module) else None
        for item in table.imports if table is not None else ():
            home = tree.absolute(module, item.level, item.module)
            whole = home == symbol.module and item.name in (symbol.qualname, "*", None)
            if (whole or f"{home}.{item.name}" == symbol.module) and not type_checking(item.guards):
                return True
    return False


def _read_in_functions(source: bytes, name: str) -> bool:
    """Whether a function of a module reads a global name when it runs."""
    tree = parsed(source)
    if tree is None:
        return True
    bodies = (s for node in every_node(tree) if isinstance(node, FunctionNode) for s in node.body)
    return any(isinstance(n, ast.Name) and n.id == name for body in bodies for n in every_node(body))
