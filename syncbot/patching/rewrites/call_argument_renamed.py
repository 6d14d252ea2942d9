"""Upstream renamed a parameter that calls pass by name."""

from __future__ import annotations

from typing import Any

from syncbot.contracts.changes import ArgumentDetails, ChangeKind
from syncbot.patching import lazy_libcst as cst
from syncbot.patching import parameter_edits
from syncbot.patching.argument_types import Name
from syncbot.patching.call_rules import CallRule
from syncbot.patching.registry import ApiChange, Rule, rule
from syncbot.patching.source import Source


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
        return self._rename(source, self.old, self.new)

    def backward(self, source: Source) -> str:
        """New name to old name."""
        return self._rename(source, self.new, self.old)

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers ``parameter-renamed`` of a function that the backend calls, where a call of upstream's
        own shows that the new name means the same."""
        if change.kind not in cls.answers or change.contract != "call":
            return None
        match change.details:
            case ArgumentDetails(argument=old, new_name=str(new), precedent=str()):
                return cls(callee=change.symbol, old=old, new=new)
        return None

    def _rename(self, source: Source, old: str, new: str) -> str:
        def wanted(call: cst.Call) -> bool:
            return (
                parameter_edits.keyword_index(call, old) is not None
                and parameter_edits.keyword_index(call, new) is None
            )

        def edit(call: Any) -> cst.Call:
            at = parameter_edits.keyword_index(call, old)
            assert at is not None
            args = list(call.args)
            args[at] = args[at].with_changes(keyword=args[at].keyword.with_changes(value=new))
            changed: cst.Call = call.with_changes(args=args)
            return changed

        return self.changed(source, wanted, edit)
