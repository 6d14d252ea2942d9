"""Upstream made parameters keyword-only, or put them into another order."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from syncbot.patching import lazy_libcst as cst
from syncbot.patching import parameter_edits
from syncbot.patching.argument_types import Name
from syncbot.patching.call_rules import CallRule
from syncbot.patching.errors import CannotRewrite
from syncbot.patching.registry import Mirror, rule
from syncbot.patching.source import Source


@rule(
    "call_arguments_by_keyword",
    mirror=Mirror(
        "call_arguments_by_place",
        reason="Upstream made parameters positional-only, or takes them in this order again.",
        does="Pass by place what calls pass by keyword right behind the arguments before it; "
        "backward names them.",
    ),
)
class CallArgumentsByKeyword(CallRule):
    """Pass by keyword what calls pass by place: right before and after the change, in any order.

    Backward passes by place again what is named right behind the arguments before it.
    """

    position: int = Field(ge=0, description="how many arguments stay where they are, the object not counted")
    arguments: tuple[Name, ...] = Field(description="the parameters behind them, in the old order")

    @model_validator(mode="after")
    def _are_some(self) -> CallArgumentsByKeyword:
        if not self.arguments or len(set(self.arguments)) != len(self.arguments):
            raise ValueError("arguments: at least one, each once")
        return self

    def forward(self, source: Source) -> str:
        """By place to by keyword."""
        return self.changed(source, lambda call: self._plain(call, source) > self.position, self._named)

    def backward(self, source: Source) -> str:
        """By keyword to by place."""
        return self.changed(source, lambda call: self._run(call) > 0, self._placed)

    def _plain(self, call: cst.Call, source: Source) -> int:
        """How many arguments the call passes by place."""
        plain = 0
        for argument in call.args:
            if argument.star == "*":
                raise CannotRewrite(f"{source.path}: a call of {self.callee} passes *: name its arguments")
            plain += argument.keyword is None and not argument.star
        if plain > self.position + len(self.arguments):
            raise CannotRewrite(f"{source.path}: a call of {self.callee} passes {plain} arguments by place")
        return plain

    def _run(self, call: cst.Call) -> int:
        """How many of the parameters follow the arguments by place, named and in order."""
        if len(call.args) <= self.position or any(a.keyword or a.star for a in call.args[: self.position]):
            return 0
        count = 0
        for argument, name in zip(call.args[self.position :], self.arguments, strict=False):
            if argument.keyword is None or argument.keyword.value != name:
                break
            count += 1
        return count

    def _named(self, call: Any) -> cst.Call:
        items = list(call.args)
        for at, name in enumerate(self.arguments, self.position):
            if at < len(items) and items[at].keyword is None and not items[at].star:
                shape = parameter_edits.keyword(name, items[at].value)
                items[at] = items[at].with_changes(keyword=shape.keyword, equal=shape.equal)
        return call.with_changes(args=items)  # type: ignore[no-any-return]

    def _placed(self, call: Any) -> cst.Call:
        items = list(call.args)
        for at in range(self.position, self.position + self._run(call)):
            items[at] = items[at].with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT)
        return call.with_changes(args=items)  # type: ignore[no-any-return]
