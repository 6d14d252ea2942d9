"""Upstream no longer passes a parameter to a function of the backend that stands in for one of its own."""

from __future__ import annotations

from syncbot.patching.registry import Rule, rule
from syncbot.patching.rewrites.function_parameter_added import FunctionParameterAdded
from syncbot.patching.source import Source


@rule("function_parameter_removed")
class FunctionParameterRemoved(FunctionParameterAdded):
    """Stop accepting a parameter in one named function or method; backward adds it again."""

    def needles(self, forward: bool) -> tuple[str, ...]:
        """As of the mirrored rule."""
        return super().needles(not forward)

    def forward(self, source: Source) -> str:
        """Take the parameter away."""
        return super().backward(source)

    def backward(self, source: Source) -> str:
        """Add the parameter."""
        return super().forward(source)

    def mirror(self) -> Rule:
        """Its mirror is the addition of the parameter."""
        return FunctionParameterAdded(**self.model_dump())
