"""Upstream made parameters positional-only, or takes them in this order again."""

from __future__ import annotations

from syncbot.patching.registry import Rule, rule
from syncbot.patching.rewrites.call_arguments_by_keyword import CallArgumentsByKeyword
from syncbot.patching.source import Source


@rule("call_arguments_by_place")
class CallArgumentsByPlace(CallArgumentsByKeyword):
    """Pass by place what calls pass by keyword right behind the arguments before it; backward names them."""

    def forward(self, source: Source) -> str:
        """By keyword to by place."""
        return super().backward(source)

    def backward(self, source: Source) -> str:
        """By place to by keyword."""
        return super().forward(source)

    def mirror(self) -> Rule:
        """Its mirror passes them by keyword."""
        return CallArgumentsByKeyword(**self.model_dump())
