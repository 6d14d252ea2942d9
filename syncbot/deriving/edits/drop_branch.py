"""The edit that removes one branch of a condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import libcst as cst
from pydantic import Field

from syncbot.deriving.places import normal
from syncbot.deriving.registry import Edit, edit
from syncbot.patching.argument_types import Expression
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.node_text import code


@edit("drop_branch")
class DropBranch(Edit):
    """Take a condition out: what stands under it goes, or what stands under its else."""

    test: Expression = Field(description="the condition of the if", examples=["self.use_graphs"])
    drop: Literal["body", "else"] = Field(
        default="body", description="body: the condition never holds; else: it always does"
    )

    def applied(self, function: cst.FunctionDef) -> cst.FunctionDef:
        """Drop it."""
        visitor = _Dropping(normal(self.test), self.drop)
        changed = cst.ensure_type(function.visit(visitor), cst.FunctionDef)
        if not visitor.found:
            raise NoMatch(f"it has no branch on {self.test}")
        if visitor.found > 1:
            raise CannotRewrite(f"it has {visitor.found} branches on {self.test}")
        return changed


class _Dropping(cst.CSTTransformer):
    def __init__(self, test: str, drop: str) -> None:
        super().__init__()
        self._test, self._drop, self.found = test, drop, 0

    def leave_If(
        self, original_node: cst.If, updated_node: cst.If
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel:
        if normal(code(original_node.test)) != self._test:
            return updated_node
        self.found += 1
        if self._drop == "else":
            return _flattened(updated_node.body, updated_node.leading_lines)
        rest = updated_node.orelse
        if isinstance(rest, cst.If):
            return rest.with_changes(leading_lines=updated_node.leading_lines)
        return cst.RemoveFromParent() if rest is None else _flattened(rest.body, updated_node.leading_lines)

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        if updated_node.body:
            return updated_node
        return updated_node.with_changes(body=[cst.SimpleStatementLine([cst.Pass()])])


def _flattened(
    suite: cst.BaseSuite, leading: Sequence[cst.EmptyLine]
) -> cst.FlattenSentinel[cst.BaseStatement]:
    if not isinstance(suite, cst.IndentedBlock):
        raise CannotRewrite("the branch is on the same line as its condition: use replace_statement")
    body = list(suite.body)
    own: Sequence[cst.EmptyLine] = getattr(body[0], "leading_lines", ())
    body[0] = body[0].with_changes(leading_lines=[*leading, *own])
    return cst.FlattenSentinel(body)
