"""Upstream needs a statement that the backend did not have."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from syncbot.patching.argument_types import Text
from syncbot.patching.errors import NoMatch
from syncbot.patching.registry import Mirror, rule
from syncbot.patching.source import Source
from syncbot.patching.statement_rules import CodeRule, Span


@rule(
    "add_statement",
    mirror=Mirror(
        "remove_statement",
        reason="Upstream no longer wants a statement that the backend has.",
        does="Remove statements by their exact text; backward adds them at the place that is described.",
    ),
)
class AddStatement(CodeRule):
    """Add statements to a function, class or module; backward removes that exact text."""

    position: Literal["start", "end", "before", "after"] = Field(
        default="end", description="start and end of the body, or before or after the anchor"
    )
    anchor: Text | None = Field(
        default=None, description="exact text of the statement that they stand next to"
    )

    @model_validator(mode="after")
    def _has_an_anchor(self) -> AddStatement:
        if self.anchor is None and self.position in ("before", "after"):
            raise ValueError(f"position {self.position!r} needs an anchor")
        return self

    def forward(self, source: Source) -> str:
        """Add them."""
        lines, region = self.opened(source)
        if self.anchor is not None:
            span = lines.find_one(self.anchor, region, self.where)
            at, indent = span.start if self.position == "before" else span.end, span.indent
        else:
            at = lines.body_start(self.within) if self.position == "start" else lines.last_text(region)
            indent = region.indent
        if any(at in (s.start, s.end) and s.indent == indent for s in lines.find(self.code, region)):
            raise NoMatch(f"{source.path}: {self.where} has them there already")
        lines.replace(Span(at, at, indent), self.code)
        return lines.text()

    def backward(self, source: Source) -> str:
        """Remove them."""
        lines, region = self.opened(source)
        lines.replace(lines.find_one(self.code, region, self.where), None)
        return lines.text()
