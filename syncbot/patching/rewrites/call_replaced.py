"""Upstream has another function for what the backend calls, with arguments of other names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import Field

from syncbot.patching import lazy_libcst as cst
from syncbot.patching import parameter_edits
from syncbot.patching.argument_types import Expression, Name
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.node_text import same_code
from syncbot.patching.partial_moves import move_uses
from syncbot.patching.placed_symbol_rules import PlaceRule
from syncbot.patching.registry import Rule, rule
from syncbot.patching.source import Edits, Source

Renamed = tuple[tuple[Name, Name], ...]
Given = tuple[tuple[Name, Expression], ...]


@rule("call_replaced")
class CallReplaced(PlaceRule):
    """Call another function or class instead, with the arguments mapped.

    Arguments by place stay where they are. Those that only one of the two takes are passed by keyword, with a
    value that is known; a call that passes another value is an error. Uses that are no calls stay.
    """

    renamed: Renamed = Field(default=(), description="[old keyword, new keyword]", examples=[[["a", "b"]]])
    added: Given = Field(default=(), description="[keyword, value] that only the new one takes")
    removed: Given = Field(default=(), description="[keyword, value] that only the old one takes")

    def mirror(self) -> Rule:
        """The same rule with all exchanged."""
        return CallReplaced(
            old=self.new,
            new=self.old,
            renamed=tuple((new, old) for old, new in self.renamed),
            added=self.removed,
            removed=self.added,
        )

    def places(self, source: Source) -> Iterator[cst.BaseExpression]:
        """Yield what is called."""
        for call in source.index.calls:
            if self.old in source.qualified(call.func):
                yield call.func

    def forward(self, source: Source) -> str:
        """Old call to new call."""
        edits = Edits()
        found = list(self.places(source))
        calls = {call.func: call for call in source.index.calls}
        for called in found:
            if parameter_edits.has_starred(calls[called]):
                raise CannotRewrite(f"{source.path}: a call of {self.old} passes **: name its arguments")
            if self.renamed or self.added or self.removed:
                edits.change(calls[called], lambda c: self._mapped(c, source.path))
        if not found:
            raise NoMatch(f"{source.path}: nothing calls {self.old}")
        move_uses(source, edits, self.old, self.new, found)
        return source.edited(edits)

    def _mapped(self, call: Any, path: str) -> cst.Call:
        names = dict(self.renamed)
        arguments = [
            a.with_changes(keyword=cst.Name(names[a.keyword.value]))
            if a.keyword is not None and a.keyword.value in names
            else a
            for a in call.args
        ]
        call = call.with_changes(args=arguments)
        fresh = [a for a in self.added if not parameter_edits.has_keyword(call, a[0])]
        for name, value in self.removed:
            at = parameter_edits.keyword_index(call, name)
            if at is None:
                continue
            if not same_code(call.args[at].value, value):
                raise CannotRewrite(f"{path}: {self.new} takes no {name}, and here it is not {value}")
            call = _in_place(call, at, *fresh.pop(0)) if fresh else parameter_edits.without_argument(call, at)
        for name, value in fresh:
            call = parameter_edits.with_argument(
                call, parameter_edits.keyword(name, cst.parse_expression(value))
            )
        changed: cst.Call = call
        return changed


def _in_place(call: Any, at: int, name: str, value: str) -> Any:
    """The call with another argument where one stood, its comma and comment kept."""
    items = list(call.args)
    items[at] = items[at].with_changes(keyword=cst.Name(name), value=cst.parse_expression(value))
    return call.with_changes(args=items)
