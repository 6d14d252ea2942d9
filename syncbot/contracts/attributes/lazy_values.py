"""Attributes that the code gives a value only where it has read them: the first read needs another one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.remembered_answers import remembered
from syncbot.api.syntax import parsed


@remembered(512)
def is_set_lazily(source: bytes, line: int, name: str) -> bool:
    """Whether all that a text sets as ``self.name`` stands behind a read of it, as in ``if self.name is None:
    self.name = …``, and none of it before ``line`` in the function around that: the read there is a first
    one."""
    tree = parsed(source)
    if tree is None:
        return False
    functions = [n for n in every_node(tree) if isinstance(n, FunctionNode)]
    found = list(_sets(tree, f"self.{name}", False))
    here = [f for f in functions if f.lineno <= line <= (f.end_lineno or 0)]
    first = max((f.lineno for f in here), default=1)
    return bool(found) and all(behind and not first <= at < line for at, behind in found)


def _sets(node: ast.AST, attribute: str, behind: bool) -> Iterator[tuple[int, bool]]:
    """The lines that set an attribute, and whether each stands behind a read."""
    match node:
        case ast.If(test=test) | ast.While(test=test):
            behind = behind or _reads(test, attribute)
        case ast.Assign(targets=targets, value=value) if any(_holds(t, attribute) for t in targets):
            yield node.lineno, behind or _reads(value, attribute)
        case ast.AnnAssign(target=target, value=ast.expr() as value) if _holds(target, attribute):
            yield node.lineno, behind or _reads(value, attribute)
        case ast.AugAssign(target=target) if _holds(target, attribute):
            yield node.lineno, True
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            # What another function reads need not have run.
            yield from _sets(child, attribute, behind and not isinstance(child, FunctionNode))


def _holds(target: ast.expr, attribute: str) -> bool:
    """Whether an attribute is what is assigned to, or one of several."""
    several = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    return any(dotted(one) == attribute for one in several)


def _reads(node: ast.AST, attribute: str) -> bool:
    attributes = (n for n in every_node(node) if isinstance(n, ast.Attribute))
    return any(isinstance(n.ctx, ast.Load) and dotted(n) == attribute for n in attributes)
