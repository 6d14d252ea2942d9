"""Upstream changed what a piece of the backend has to say, in a way no general rule covers."""

from __future__ import annotations

from pydantic import Field, field_validator

from syncbot.patching.errors import NoMatch
from syncbot.patching.registry import rule
from syncbot.patching.source import Source
from syncbot.patching.statement_rules import StatementRule, checked


@rule("replace_statement")
class ReplaceStatement(StatementRule):
    """Replace statements; their exact text has to occur exactly once."""

    before: str = Field(description="source text before the upstream change, dedented")
    after: str = Field(description="source text after the upstream change, dedented")

    @field_validator("before", "after")
    @classmethod
    def _parses(cls, value: str) -> str:
        return checked(value)

    def forward(self, source: Source) -> str:
        """Before to after."""
        lines, region = self.opened(source)
        done = lines.find(self.after, region)
        if done and all(any(d.start <= o.start and o.end <= d.end for d in done)
                        for o in lines.find(self.before, region)):  # fmt: skip
            raise NoMatch(f"{source.path}: {self.where} reads so already")
        lines.replace(lines.find_one(self.before, region, self.where), self.after)
        return lines.text()
