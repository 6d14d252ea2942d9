"""The edit that replaces a statement by others, or removes it."""

from __future__ import annotations

import libcst as cst
from pydantic import Field

from syncbot.deriving.places import Statements, at_statement, lines
from syncbot.deriving.registry import Edit, edit


@edit("replace_statement")
class ReplaceStatement(Edit):
    """Put statements in the place of one, which the body has to hold exactly once; without any, drop it."""

    statement: Statements = Field(description="the statement as upstream has it, layout aside")
    code: Statements | None = Field(default=None, description="the statements in its place, dedented")

    def applied(self, function: cst.FunctionDef) -> cst.FunctionDef:
        """Replace it."""
        new = [] if self.code is None else lines(self.code)
        return at_statement(function, self.statement, lambda line: new)
