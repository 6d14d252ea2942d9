"""Upstream turned a method without arguments into a property or attribute."""

from __future__ import annotations

from syncbot.patching.registry import ApiChange, Rule, rule
from syncbot.patching.rewrites.property_to_method import PropertyToMethod, proposed
from syncbot.patching.source import Source


@rule("method_to_property")
class MethodToProperty(PropertyToMethod):
    """Read what was called: ``x.size()`` becomes ``x.size``, overrides gain ``@property``."""

    def forward(self, source: Source) -> str:
        """Method to property."""
        return super().backward(source)

    def backward(self, source: Source) -> str:
        """Property to method."""
        return super().forward(source)

    def mirror(self) -> Rule:
        """Its mirror turns the property into a method."""
        return PropertyToMethod(**self.model_dump())

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers ``method-became-attribute``."""
        return proposed(cls, change, "method-became-attribute")
