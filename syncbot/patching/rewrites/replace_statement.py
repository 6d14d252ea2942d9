"""Upstream changed what a piece of the backend has to say, in a way no general rule covers."""

from __future__ import annotations

from pydantic import Field, field_validator

from syncbot.patching.errors import NoMatch
from syncbot.patching.registry import rule
from syncbot.patching.source import Source
from syncbot.patching.statement_rules import Lines, StatementRule, checked


@rule("replace_statement")
class ReplaceStatement(StatementRule):
    """Put statements in the place of others; their exact text has to stand there exactly once."""

    before: str = Field(description="source text before the upstream change, dedented")
    after: str = Field(description="source text after the upstream change, dedented")

    @field_validator("before", "after")
    @classmethod
    def _parses(cls, value: str) -> str:
        return checked(value)

    def forward(self, source: Source) -> str:
        """Before to after."""
        return self._replace(source, self.before, self.after)

    def backward(self, source: Source) -> str:
        """After to before."""
        return self._replace(source, self.after, self.before)

    def _replace(self, source: Source, old: str, new: str) -> str:
        lines = Lines(source.text, source.path)
        region, where = lines.definition(self.within), self.within or "the module"
        done = lines.find(new, region)
        if done and all(any(d.start <= o.start and o.end <= d.end for d in done)
                        for o in lines.find(old, region)):  # fmt: skip
            raise NoMatch(f"{source.path}: {where} reads so already")
        lines.replace(lines.find_one(old, region, where), new)
        return lines.text()
