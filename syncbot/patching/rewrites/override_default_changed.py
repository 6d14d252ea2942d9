"""Upstream changed the default of a parameter of a method that the backend overrides."""

from __future__ import annotations

from pydantic import Field

from syncbot.patching import lazy_libcst as cst
from syncbot.patching import parameter_edits
from syncbot.patching.argument_types import Expression, Name
from syncbot.patching.class_rules import MethodRule
from syncbot.patching.node_text import same_code
from syncbot.patching.registry import rule
from syncbot.patching.source import Edits, Source


@rule("override_default_changed")
class OverrideDefaultChanged(MethodRule):
    """Take upstream's new default in overrides that have the old one.

    To keep the old value instead, where the backend calls the method, pass it: ``call_argument_added``.
    """

    parameter: Name
    old: Expression = Field(description="source text of the default before the change", examples=["None"])
    new: Expression = Field(description="source text of the default after it", examples=["0"])

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that define the method and use the name."""
        return (*super().needles(forward), self.parameter)

    def forward(self, source: Source) -> str:
        """Old default to new default."""
        edits = Edits()
        for function in self.overrides(source):
            item = parameter_edits.named(function, self.parameter)
            if item is not None and item.default is not None and same_code(item.default, self.old):
                edits.replace(item.default, cst.parse_expression(self.new))
        return self.finished(source, edits, f"has {self.parameter}={self.old}")
