"""Overrides that only answer a question with a constant: where upstream asks no more, little is lost."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from syncbot.api.expressions import FunctionNode
from syncbot.api.methods import definition
from syncbot.api.symbols import Member
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Finding

# Decorators that say what a method is, and do nothing with it.
_PLAIN = {"property", "cached_property", "classmethod", "staticmethod", "override"}


def weighed(finding: Finding, ours: Member, pair: Comparison) -> Finding:
    """The finding on an override that upstream never calls again, no more than a risk where the override only
    gives a constant. Under a new name upstream still asks."""
    if finding.ground is not Ground.DEAD_OVERRIDE or finding.kind is ChangeKind.METHOD_RENAMED:
        return finding
    last = definition(ours.functions)
    node = function_node(pair.new, ours.owner.module, last, ours.owner.qualname)
    plain = all(d.rpartition(".")[2] in _PLAIN for d in last.decorators)
    if node is None or not plain or not _gives_constant(node):
        return finding
    return finding.doubted(Ground.DOUBTED, "; this override does nothing but tell a constant")


def _gives_constant(node: FunctionNode) -> bool:
    """Whether a function does nothing but return a constant or something empty, or nothing at all."""
    match _without_text(node.body):
        case [] | [ast.Pass()] | [ast.Return(value=None)]:
            return True
        case [ast.Return(value=ast.expr() as value)]:
            return _is_constant(value)
    return False


def _without_text(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Statements without those that are only a constant, as a docstring is."""
    return [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]


def _is_constant(value: ast.expr) -> bool:
    match value:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case ast.Constant() | ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return True
    return False
