"""Upstream renamed something that the backend names in a string: an entry point, a registry path."""

from __future__ import annotations

from pydantic import Field

from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.patching.argument_types import Quoted
from syncbot.patching.registry import ApiChange, Rule, rule
from syncbot.patching.source import Edits, Source


@rule("string_renamed", answers=(ChangeKind.SYMBOL_MOVED, ChangeKind.SYMBOL_RENAMED))
class StringRenamed(Rule):
    """Replace a dotted name in strings that are that name, or a longer one below it, and nothing else."""

    old: Quoted = Field(examples=["pkg.module.Old"])
    new: Quoted = Field(examples=["pkg.module.New"])

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that hold the name."""
        return (self.old if forward else self.new,)

    def forward(self, source: Source) -> str:
        """Old name to new name."""
        edits = Edits()
        for node in source.index.strings:
            rest = node.raw_value.removeprefix(self.old)
            if rest != node.raw_value and (not rest or rest[0] in ".:"):
                quoted = node.value[: len(node.prefix) + len(node.quote)]
                edits.update(node, value=f"{quoted}{self.new}{rest}{node.quote}")
        return source.rewritten(edits, f"no string is {self.old!r}")

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers a move or rename that meets a dotted string."""
        match change.details:
            case NameDetails(old=old, new=str(new)) if change.contract == "string":
                return cls(old=old, new=new)
        return None
