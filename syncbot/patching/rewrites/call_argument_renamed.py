"""Upstream renamed a parameter that calls pass by name."""

from __future__ import annotations

from syncbot.contracts.changes import ArgumentDetails, ChangeKind
from syncbot.patching import lazy_libcst as cst
from syncbot.patching import parameter_edits
from syncbot.patching.argument_types import Name
from syncbot.patching.call_rules import CallRule
from syncbot.patching.registry import ApiChange, Rule, rule
from syncbot.patching.source import Edits, Source


@rule("call_argument_renamed", answers=(ChangeKind.PARAMETER_RENAMED,))
class CallArgumentRenamed(CallRule):
    """Pass a keyword argument by the name that upstream gives it now."""

    old: Name
    new: Name

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that use the name."""
        return (*super().needles(forward), self.old if forward else self.new)

    def forward(self, source: Source) -> str:
        """Old name to new name."""
        edits = Edits()
        for call in self.calls(source):
            at = parameter_edits.keyword_index(call, self.old)
            if at is not None and not parameter_edits.has_keyword(call, self.new):
                name = cst.ensure_type(call.args[at].keyword, cst.Name)
                edits.update(name, value=self.new)
        return source.rewritten(edits, f"no call of {self.callee} to change")

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers ``parameter-renamed`` of a function that the backend calls, where a call of upstream's
        own shows that the new name means the same."""
        if change.contract != "call":
            return None
        match change.details:
            case ArgumentDetails(argument=old, new_name=str(new), precedent=str()):
                return cls(callee=change.symbol, old=old, new=new)
        return None
