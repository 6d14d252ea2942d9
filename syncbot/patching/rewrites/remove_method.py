"""Upstream no longer asks for a method or function of the backend."""

from __future__ import annotations

from syncbot.patching.registry import Rule, rule
from syncbot.patching.rewrites.add_method import AddMethod
from syncbot.patching.source import Source


@rule("remove_method")
class RemoveMethod(AddMethod):
    """Remove a method by its exact text; backward adds it behind the method that is named."""

    def forward(self, source: Source) -> str:
        """Remove it."""
        return super().backward(source)

    def backward(self, source: Source) -> str:
        """Add it."""
        return super().forward(source)

    def mirror(self) -> Rule:
        """Its mirror adds the method."""
        return AddMethod(**self.model_dump())
