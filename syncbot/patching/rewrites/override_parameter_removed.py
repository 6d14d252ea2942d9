"""Upstream removed a parameter from a method that the backend overrides."""

from __future__ import annotations

from syncbot.patching.registry import ApiChange, Rule, rule
from syncbot.patching.rewrites.override_parameter_added import OverrideParameterAdded, proposed
from syncbot.patching.source import Source


@rule("override_parameter_removed")
class OverrideParameterRemoved(OverrideParameterAdded):
    """Stop accepting a parameter that upstream's callers no longer pass to an overridden method.

    Forward takes it from every override and from the calls of the base's method; backward adds it.
    """

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
        return OverrideParameterAdded(**self.model_dump())

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers ``parameter-removed`` on an overridden method."""
        return proposed(cls, change, "parameter-removed")
