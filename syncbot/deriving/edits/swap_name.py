"""The edit that replaces a name by another."""

from __future__ import annotations

import libcst as cst
from pydantic import Field

from syncbot.deriving.places import at_expressions
from syncbot.deriving.registry import Edit, edit
from syncbot.patching.argument_types import Expression
from syncbot.patching.errors import NoMatch
from syncbot.patching.node_text import dotted


@edit("swap_name")
class SwapName(Edit):
    """Put another name, dotted or not, in the place of one, everywhere in the body."""

    old: Expression = Field(description="the name as the body has it", examples=["torch.cuda.Event"])
    new: Expression = Field(description="the name in its place", examples=["device.Event"])

    def applied(self, function: cst.FunctionDef) -> cst.FunctionDef:
        """Swap it."""
        attributes = _Names()
        function.body.visit(attributes)

        def matches(node: cst.BaseExpression) -> bool:
            return dotted(node) == self.old and node not in attributes.parts

        changed, found = at_expressions(function, matches, self.new)
        if not found:
            raise NoMatch(f"it does not name {self.old}")
        return changed


class _Names(cst.CSTVisitor):
    """Collects nodes that look like names and are none: attributes behind a dot, and keywords of calls."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: set[cst.CSTNode] = set()

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self.parts.add(node.attr)

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self.parts.add(node.keyword)
