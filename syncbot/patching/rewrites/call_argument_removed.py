"""Upstream removed an argument that calls used to pass."""

from __future__ import annotations

from syncbot.patching.registry import ApiChange, Rule, rule
from syncbot.patching.rewrites.call_argument_added import CallArgumentAdded, proposed
from syncbot.patching.source import Source


@rule("call_argument_removed")
class CallArgumentRemoved(CallArgumentAdded):
    """Leave out a keyword argument that upstream no longer takes; backward passes ``value`` again."""

    def needles(self, forward: bool) -> tuple[str, ...]:
        """As of the mirrored rule."""
        return super().needles(not forward)

    def forward(self, source: Source) -> str:
        """Leave it out."""
        return super().backward(source)

    def backward(self, source: Source) -> str:
        """Pass it."""
        return super().forward(source)

    def mirror(self) -> Rule:
        """Its mirror is the addition of the argument."""
        return CallArgumentAdded(**self.model_dump())

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers ``parameter-removed`` of a function that the backend calls with it."""
        return proposed(cls, change) if change.kind == "parameter-removed" else None
