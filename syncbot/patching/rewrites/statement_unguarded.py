"""Upstream always does what the backend does under a condition only."""

from __future__ import annotations

from syncbot.patching.registry import Rule, rule
from syncbot.patching.rewrites.statement_guarded import StatementGuarded
from syncbot.patching.source import Source


@rule("statement_unguarded")
class StatementUnguarded(StatementGuarded):
    """Take statements out of an ``if`` without ``else``; backward puts them under it."""

    def forward(self, source: Source) -> str:
        """Take them out of the condition."""
        return super().backward(source)

    def backward(self, source: Source) -> str:
        """Put them under the condition."""
        return super().forward(source)

    def mirror(self) -> Rule:
        """Its mirror puts them under the condition."""
        return StatementGuarded(**self.model_dump())
