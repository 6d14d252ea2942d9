"""Upstream wants another class as the base: one that was split off, or the one that two became."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.patching import lazy_libcst as cst
from syncbot.patching.placed_symbol_rules import PlaceRule
from syncbot.patching.registry import rule
from syncbot.patching.source import Source


@rule("base_changed")
class BaseChanged(PlaceRule):
    """Derive from another class: ``class Mine(Old)`` becomes ``class Mine(New)``."""

    def places(self, source: Source) -> Iterator[cst.BaseExpression]:
        """Yield the bases of classes, also those of generic ones (``Old[T]``)."""
        for node in source.index.classes:
            for base in node.bases:
                value = base.value.value if isinstance(base.value, cst.Subscript) else base.value
                if self.old in source.qualified(value):
                    yield value
