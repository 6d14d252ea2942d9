"""Upstream put the parameters of a method that the backend overrides into another order."""

from __future__ import annotations

from pydantic import Field, model_validator

from syncbot.patching.argument_types import Name
from syncbot.patching.class_rules import MethodRule
from syncbot.patching.errors import CannotRewrite
from syncbot.patching.registry import rule
from syncbot.patching.source import Edits, Source


@rule("override_parameters_reordered")
class OverrideParametersReordered(MethodRule):
    """Take the parameters of overrides in the new order; each keeps its annotation and default."""

    old: tuple[Name, ...] = Field(description="the parameters in the old order, the object left out")
    new: tuple[Name, ...] = Field(description="the same in the new order")

    @model_validator(mode="after")
    def _are_the_same(self) -> OverrideParametersReordered:
        if sorted(self.old) != sorted(self.new) or len(set(self.old)) != len(self.old):
            raise ValueError("old and new: the same parameters, each once")
        return self

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that define the method with them."""
        return (*super().needles(forward), *self.old)

    def forward(self, source: Source) -> str:
        """Old order to new order."""
        old, new, edits = self.old, self.new, Edits()
        for function in self.overrides(source):
            items = function.params.params
            places = [i for i, item in enumerate(items) if item.name.value in old]
            if old == new or tuple(items[i].name.value for i in places) != old:
                continue
            by_name = {items[i].name.value: items[i] for i in places}
            order = list(items)
            for place, name in zip(places, new, strict=True):
                there = items[place]
                order[place] = by_name[name].with_changes(
                    comma=there.comma, whitespace_after_param=there.whitespace_after_param
                )
            defaults = [item.default is not None for item in order]
            if defaults != sorted(defaults):
                raise CannotRewrite(
                    f"{source.path}: {self.method} would have a required parameter behind an optional one"
                )
            edits.update(function, params=function.params.with_changes(params=order))
        return self.finished(source, edits, f"takes {', '.join(old)}")
