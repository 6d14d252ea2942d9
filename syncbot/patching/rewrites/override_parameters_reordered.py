"""Upstream put the parameters of a method that the backend overrides into another order."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from syncbot.patching import lazy_libcst as cst
from syncbot.patching.argument_types import Name
from syncbot.patching.class_rules import ClassRule
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import rule
from syncbot.patching.source import Edits, Source


@rule("override_parameters_reordered")
class OverrideParametersReordered(ClassRule):
    """Take the parameters of overrides in the new order; each keeps its annotation and default."""

    method: Name
    old: tuple[Name, ...] = Field(description="the parameters in the old order, the object left out")
    new: tuple[Name, ...] = Field(description="the same in the new order")

    @model_validator(mode="after")
    def _are_the_same(self) -> OverrideParametersReordered:
        if sorted(self.old) != sorted(self.new) or len(set(self.old)) != len(self.old):
            raise ValueError("old and new: the same parameters, each once")
        return self

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that define the method with them."""
        return (f"def {self.method}", *self.old)

    def forward(self, source: Source) -> str:
        """Old order to new order."""
        return self._reorder(source, self.old, self.new)

    def backward(self, source: Source) -> str:
        """New order to old order."""
        return self._reorder(source, self.new, self.old)

    def _reorder(self, source: Source, old: tuple[str, ...], new: tuple[str, ...]) -> str:
        edits = Edits()
        for _, function in self.family(source).methods(self.method):
            items = function.params.params
            places = [i for i, item in enumerate(items) if item.name.value in old]
            if old == new or tuple(items[i].name.value for i in places) != old:
                continue
            by_name = {items[i].name.value: items[i] for i in places}
            order = list(items)
            for place, name in zip(places, new, strict=True):
                order[place] = _in_place(by_name[name], items[place])
            defaults = [item.default is not None for item in order]
            if defaults != sorted(defaults):
                raise CannotRewrite(
                    f"{source.path}: {self.method} would have a required parameter behind an optional one"
                )
            params = function.params.with_changes(params=order)
            edits.change(function, lambda f, params=params: f.with_changes(params=params))  # type: ignore[misc]
        if not edits:
            raise NoMatch(f"{source.path}: no override of {self.base}.{self.method} takes {', '.join(old)}")
        return source.edited(edits)


def _in_place(item: cst.Param, other: cst.Param) -> Any:
    """A parameter with the separators of the one whose place it takes."""
    return item.with_changes(comma=other.comma, whitespace_after_param=other.whitespace_after_param)
