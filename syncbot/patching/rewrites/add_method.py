"""Upstream needs a method or function that the backend did not have."""

from __future__ import annotations

from pydantic import Field

from syncbot.patching.argument_types import Dotted
from syncbot.patching.errors import NoMatch
from syncbot.patching.registry import Mirror, rule
from syncbot.patching.source import Source
from syncbot.patching.statement_rules import CodeRule, Span


@rule(
    "add_method",
    mirror=Mirror(
        "remove_method",
        reason="Upstream no longer asks for a method or function of the backend.",
        does="Remove a method by its exact text; backward adds it behind the method that is named.",
    ),
)
class AddMethod(CodeRule):
    """Add a method to a class (or a function to a module); backward removes that exact text."""

    after: Dotted | None = Field(
        default=None, description="the method that it stands behind; null: at the end"
    )

    def forward(self, source: Source) -> str:
        """Add it, set off by empty lines."""
        lines, region = self.opened(source)
        if lines.find(self.code, region):
            raise NoMatch(f"{source.path}: {self.where} has the method already")
        if self.after is not None:
            at = lines.definition(self.after if self.within is None else f"{self.within}.{self.after}").end
        else:
            at = lines.last_text(region)
        lines.replace(Span(at, at, region.indent), self.code, blank_before=self._gap())
        return lines.text()

    def backward(self, source: Source) -> str:
        """Remove it with the empty lines above it."""
        lines, region = self.opened(source)
        span = lines.find_one(self.code, region, self.where)
        gap = min(self._gap(), lines.blank_above(span.start))
        lines.replace(Span(span.start - gap, span.end, span.indent), None)
        return lines.text()

    def _gap(self) -> int:
        return 2 if self.within is None else 1
