"""Upstream does something under a condition only that the backend always does."""

from __future__ import annotations

import textwrap

from pydantic import Field

from syncbot.patching.argument_types import Expression
from syncbot.patching.errors import NoMatch
from syncbot.patching.registry import Mirror, rule
from syncbot.patching.source import Source
from syncbot.patching.statement_rules import CodeRule


@rule(
    "statement_guarded",
    mirror=Mirror(
        "statement_unguarded",
        reason="Upstream always does what the backend does under a condition only.",
        does="Take statements out of an ``if`` without ``else``; backward puts them under it.",
    ),
)
class StatementGuarded(CodeRule):
    """Put statements under ``if``; backward takes them out again."""

    condition: Expression = Field(description="source text", examples=["self.spec is not None"])

    def forward(self, source: Source) -> str:
        """Put them under the condition."""
        lines, region = self.opened(source)
        if lines.find(self._guarded(), region):
            raise NoMatch(f"{source.path}: {self.where} has them under the condition already")
        lines.replace(lines.find_one(self.code, region, self.where), self._guarded())
        return lines.text()

    def backward(self, source: Source) -> str:
        """Take them out of the condition."""
        lines, region = self.opened(source)
        lines.replace(lines.find_one(self._guarded(), region, self.where), self.code)
        return lines.text()

    def _guarded(self) -> str:
        return f"if {self.condition}:\n" + textwrap.indent(self.code, "    ")
