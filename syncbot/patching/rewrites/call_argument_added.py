"""Upstream added an argument that calls have to pass."""

from __future__ import annotations

from functools import partial
from itertools import takewhile

from pydantic import Field

from syncbot.contracts.changes import ArgumentDetails, ChangeKind
from syncbot.patching import lazy_libcst as cst
from syncbot.patching import parameter_edits
from syncbot.patching.argument_types import Expression, Name
from syncbot.patching.call_rules import CallRule
from syncbot.patching.errors import CannotRewrite
from syncbot.patching.registry import ApiChange, Mirror, Rule, rule
from syncbot.patching.source import Edits, Source


@rule(
    "call_argument_added",
    answers=(ChangeKind.PARAMETER_ADDED, ChangeKind.PARAMETER_REQUIRED),
    mirror=Mirror(
        "call_argument_removed",
        reason="Upstream removed an argument that calls used to pass.",
        does="Leave out a keyword argument that upstream no longer takes; backward passes ``value`` again.",
        answers=(ChangeKind.PARAMETER_REMOVED,),
    ),
)
class CallArgumentAdded(CallRule):
    """Pass a keyword argument that upstream now asks for; backward leaves it out.

    Calls that hand on ``**kwargs`` may hold it already and are left alone.
    """

    argument: Name
    value: Expression | None = Field(
        default=None,
        description="source text of what to pass; null: not known, so that it can only be left out",
        examples=["None"],
    )
    position: int | None = Field(
        default=None,
        ge=0,
        description="0-based place at which backward also finds it passed without its name",
    )

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Backward needs the argument's name, unless it may be passed by place."""
        wanted = super().needles(forward)
        return wanted if forward or self.position is not None else (*wanted, self.argument)

    def forward(self, source: Source) -> str:
        """Pass it. Raises CannotRewrite where nobody knows what to pass."""
        if self.value is None:
            raise CannotRewrite(
                f"{source.path}: what to pass for {self.argument} of {self.callee} is not known"
            )
        new = parameter_edits.keyword(self.argument, cst.parse_expression(self.value))

        def lacks(call: cst.Call) -> bool:
            return self._at(call) is None and not parameter_edits.has_starred(call)

        return self.changed(source, lacks, lambda call: parameter_edits.with_argument(call, new))

    def backward(self, source: Source) -> str:
        """Leave it out."""
        edits = Edits()
        for call in self.calls(source):
            at = self._at(call)
            if at is not None:
                edits.change(call, partial(parameter_edits.without_argument, at=at))
        return source.rewritten(edits, f"no call of {self.callee} to change")

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers a parameter that a called function lost, or gained where a value for it is known."""
        match change.details:
            # Where too many are passed, what is known is their number.
            case ArgumentDetails(argument=name, value=value) if name.isidentifier():
                lost = change.kind is ChangeKind.PARAMETER_REMOVED
                if change.contract == "call" and (lost or value):
                    return cls(callee=change.symbol, argument=name, value=value)
        return None

    def _at(self, call: cst.Call) -> int | None:
        at = parameter_edits.keyword_index(call, self.argument)
        if at is not None or self.position is None:
            return at
        placed = list(takewhile(lambda a: a.keyword is None and not a.star, call.args))
        return self.position if self.position < len(placed) else None
