"""Upstream renamed something that the backend names in a string: an entry point, a registry path."""

from __future__ import annotations

from pydantic import Field

from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.patching.argument_types import Quoted
from syncbot.patching.errors import NoMatch
from syncbot.patching.registry import ApiChange, Rule, rule
from syncbot.patching.source import Edits, Source


@rule(
    "string_renamed",
    answers=(
        ChangeKind.SYMBOL_MOVED,
        ChangeKind.SYMBOL_RENAMED,
    ),
)
class StringRenamed(Rule):
    """Replace a dotted name in strings that are that name, or a longer one below it, and nothing else."""

    old: Quoted = Field(examples=["pkg.module.Old"])
    new: Quoted = Field(examples=["pkg.module.New"])

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that hold the name."""
        return (self.old if forward else self.new,)

    def forward(self, source: Source) -> str:
        """Old name to new name."""
        return self._rename(source, self.old, self.new)

    def backward(self, source: Source) -> str:
        """New name to old name."""
        return self._rename(source, self.new, self.old)

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers a move or rename that meets a dotted string."""
        if change.kind not in cls.answers or change.contract != "string":
            return None
        match change.details:
            case NameDetails(old=old, new=str(new)):
                return cls(old=old, new=new)
        return None

    def _rename(self, source: Source, old: str, new: str) -> str:
        edits = Edits()
        for node in source.index.strings:
            text = node.raw_value
            rest = text[len(old) :]
            if text.startswith(old) and (not rest or rest[0] in ".:"):
                quoted = node.value[: len(node.prefix) + len(node.quote)]
                edits.replace(node, node.with_changes(value=f"{quoted}{new}{rest}{node.quote}"))
        if not edits:
            raise NoMatch(f"{source.path}: no string is {old!r}")
        return source.edited(edits)
