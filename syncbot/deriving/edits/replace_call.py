"""The edit that replaces calls by another expression."""

from __future__ import annotations

import libcst as cst
from pydantic import Field

from syncbot.deriving.places import at_expressions, normal
from syncbot.deriving.registry import Edit, edit
from syncbot.patching.argument_types import Expression
from syncbot.patching.errors import NoMatch
from syncbot.patching.node_text import code


@edit("replace_call")
class ReplaceCall(Edit):
    """Put an expression in the place of all calls of a function, or of the call that is given in full."""

    call: Expression = Field(
        description="the function as it is called, or the whole call",
        examples=["torch.cuda.synchronize", "get_version(size)"],
    )
    by: Expression = Field(description="the expression in its place", examples=["None"])

    def applied(self, function: cst.FunctionDef) -> cst.FunctionDef:
        """Replace them."""
        wanted = normal(self.call)
        whole = isinstance(cst.parse_expression(self.call), cst.Call)

        def matches(node: cst.BaseExpression) -> bool:
            return isinstance(node, cst.Call) and normal(code(node if whole else node.func)) == wanted

        changed, found = at_expressions(function, matches, self.by)
        if not found:
            raise NoMatch(f"it does not call {self.call}")
        return changed
