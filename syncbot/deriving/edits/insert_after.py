"""The edit that inserts statements after one of upstream's."""

from __future__ import annotations

import libcst as cst
from pydantic import Field

from syncbot.deriving.places import Statements, at_statement, lines
from syncbot.deriving.registry import Edit, edit


@edit("insert_after")
class InsertAfter(Edit):
    """Put statements after one, which the body has to hold exactly once."""

    statement: Statements = Field(description="the statement as upstream has it, layout aside")
    code: Statements = Field(description="the statements to put after it, dedented")

    def applied(self, function: cst.FunctionDef) -> cst.FunctionDef:
        """Insert them."""
        return at_statement(function, self.statement, lambda line: [line, *lines(self.code)])
