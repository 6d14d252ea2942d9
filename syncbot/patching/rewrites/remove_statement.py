"""Upstream no longer wants a statement that the backend has."""

from __future__ import annotations

from syncbot.patching.registry import Rule, rule
from syncbot.patching.rewrites.add_statement import AddStatement
from syncbot.patching.source import Source


@rule("remove_statement")
class RemoveStatement(AddStatement):
    """Remove statements by their exact text; backward adds them at the place that is described."""

    def forward(self, source: Source) -> str:
        """Remove them."""
        return super().backward(source)

    def backward(self, source: Source) -> str:
        """Add them."""
        return super().forward(source)

    def mirror(self) -> Rule:
        """Its mirror adds the statements."""
        return AddStatement(**self.model_dump())
