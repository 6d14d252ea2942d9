"""Upstream wants another decorator."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.patching import lazy_libcst as cst
from syncbot.patching.placed_symbol_rules import PlaceRule
from syncbot.patching.registry import rule
from syncbot.patching.source import Source


@rule("decorator_changed")
class DecoratorChanged(PlaceRule):
    """Decorate with another function: ``@old`` and ``@old(…)`` become ``@new`` and ``@new(…)``."""

    def places(self, source: Source) -> Iterator[cst.BaseExpression]:
        """Yield the decorators of functions and classes, without their arguments."""
        decorators = [d for node in source.index.functions for d in node.decorators]
        decorators += [d for node in source.index.classes for d in node.decorators]
        for decorator in decorators:
            value = decorator.decorator
            value = value.func if isinstance(value, cst.Call) else value
            if self.old in source.qualified(value):
                yield value
