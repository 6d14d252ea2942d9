"""Upstream does something under a condition only that the backend always does."""

from __future__ import annotations

import ast
import textwrap

from pydantic import Field, field_validator

from syncbot.patching.errors import NoMatch
from syncbot.patching.registry import Rule, rule
from syncbot.patching.source import Source
from syncbot.patching.statements import CodeRule, Lines


@rule("statement_guarded")
class StatementGuarded(CodeRule):
    """Put statements under ``if``; backward takes them out again."""

    condition: str = Field(description="source text", examples=["self.spec is not None"])

    @field_validator("condition")
    @classmethod
    def _is_an_expression(cls, value: str) -> str:
        try:
            ast.parse(value, mode="eval")
        except SyntaxError as error:
            raise ValueError(f"{value!r} is not an expression: {error.msg}") from error
        return value.strip()

    def forward(self, source: Source) -> str:
        """Put them under the condition."""
        lines = Lines(source.text, source.path)
        region, where = lines.definition(self.within), self.within or "the module"
        if lines.find(self._guarded(), region):
            raise NoMatch(f"{source.path}: {where} has them under the condition already")
        lines.replace(lines.find_one(self.code, region, where), self._guarded())
        return lines.text()

    def backward(self, source: Source) -> str:
        """Take them out of the condition."""
        lines = Lines(source.text, source.path)
        region = lines.definition(self.within)
        lines.replace(lines.find_one(self._guarded(), region, self.within or "the module"), self.code)
        return lines.text()

    def mirror(self) -> Rule:
        """Its mirror takes them out."""
        from syncbot.patching.rewrites.statement_unguarded import StatementUnguarded

        return StatementUnguarded(**self.model_dump())

    def _guarded(self) -> str:
        return f"if {self.condition}:\n" + textwrap.indent(self.code, "    ")
