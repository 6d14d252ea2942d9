"""Rules about a symbol in one kind of place only: as a base, a decorator, a patched name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from pydantic import Field

from syncbot.patching import lazy_libcst as cst
from syncbot.patching.argument_types import Dotted
from syncbot.patching.partial_moves import move_uses
from syncbot.patching.registry import Rule
from syncbot.patching.source import Edits, Source


class PlaceRule(Rule):
    """Another symbol in the place of one; other uses of the old symbol stay, and imports follow."""

    old: Dotted = Field(description="dotted symbol before the change", examples=["pkg.module.Old"])
    new: Dotted = Field(description="dotted symbol after it", examples=["pkg.other.New"])

    @abstractmethod
    def places(self, source: Source) -> Iterator[cst.BaseExpression]:
        """Yield the expressions that stand for ``old`` in such a place."""

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that mention the top package and the last name."""
        name = self.old if forward else self.new
        return (name.partition(".")[0], name.rpartition(".")[2])

    def forward(self, source: Source) -> str:
        """Old symbol to new symbol."""
        edits = Edits()
        move_uses(source, edits, self.old, self.new, list(self.places(source)))
        return source.rewritten(edits, f"nothing uses {self.old} in that way")
