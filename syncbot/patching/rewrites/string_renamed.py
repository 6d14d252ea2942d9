"""Upstream renamed something that the backend names in a string: an entry point, a registry path."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.contracts.conditions.tried_candidates import QUESTIONS
from syncbot.patching import lazy_libcst as cst
from syncbot.patching.argument_types import Quoted
from syncbot.patching.node_text import dotted
from syncbot.patching.registry import ApiChange, Rule, rule
from syncbot.patching.source import Edits, Source


@rule("string_renamed", answers=(ChangeKind.SYMBOL_MOVED, ChangeKind.SYMBOL_RENAMED))
class StringRenamed(Rule):
    """Replace a dotted name in strings that are that name, or a longer one below it, and nothing else.

    What asks for a module stays: ``find_spec("a.b")``, ``"a.b" in sys.modules``. It means the old one.
    """

    old: Quoted = Field(examples=["pkg.module.Old"])
    new: Quoted = Field(examples=["pkg.module.New"])

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that hold the name."""
        return (self.old if forward else self.new,)

    def forward(self, source: Source) -> str:
        """Old name to new name."""
        edits, asked = Edits(), set(_asked(source))
        for node in source.index.strings:
            rest = node.raw_value.removeprefix(self.old)
            if rest != node.raw_value and (not rest or rest[0] in ".:") and node not in asked:
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


def _asked(source: Source) -> Iterator[cst.CSTNode]:
    """The strings that ask whether there is a module."""
    for call in source.index.calls:
        if (dotted(call.func) or "").rpartition(".")[2] in QUESTIONS:
            yield from (argument.value for argument in call.args)
    for node in source.index.comparisons:
        if dotted(node.comparisons[0].comparator) == "sys.modules":
            yield node.left
