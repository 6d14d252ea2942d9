"""Upstream split a class: some of its constants, functions and nested classes are in another one now."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from syncbot.patching import lazy_libcst as cst
from syncbot.patching.argument_types import Name
from syncbot.patching.placed_symbol_rules import PlaceRule
from syncbot.patching.registry import rule
from syncbot.patching.source import Source


@rule("member_moved")
class MemberMoved(PlaceRule):
    """Reach members through another class or module: ``Old.member`` becomes ``New.member``.

    What is reached through objects is another matter: ``attribute_replaced``.
    """

    members: tuple[Name, ...] = Field(
        min_length=1, description="the names of the members that moved", examples=[["LIMIT"]]
    )

    def places(self, source: Source) -> Iterator[cst.BaseExpression]:
        """Yield the class in ``Old.member``."""
        for node in source.index.attributes:
            if node.attr.value in self.members and self.old in source.qualified(node.value):
                yield node.value
