"""Upstream no longer wants a method of the classes that derive from one of its own."""

from __future__ import annotations

from syncbot.patching.registry import Rule, rule
from syncbot.patching.rewrites.abstract_method_added import AbstractMethodAdded
from syncbot.patching.source import Source


@rule("abstract_method_removed")
class AbstractMethodRemoved(AbstractMethodAdded):
    """Take the stub of a method away; a method that does something stays. Backward adds the stub."""

    def needles(self, forward: bool) -> tuple[str, ...]:
        """As of the mirrored rule."""
        return super().needles(not forward)

    def forward(self, source: Source) -> str:
        """Take the stub away."""
        return super().backward(source)

    def backward(self, source: Source) -> str:
        """Add the stub."""
        return super().forward(source)

    def mirror(self) -> Rule:
        """Its mirror adds the stub."""
        return AbstractMethodAdded(**self.model_dump())
