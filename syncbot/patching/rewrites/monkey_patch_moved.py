"""Upstream moved what the backend replaces at run time."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from syncbot.patching import lazy_libcst as cst
from syncbot.patching.argument_types import Symbol
from syncbot.patching.errors import NoMatch
from syncbot.patching.partial_moves import move_uses
from syncbot.patching.placed_symbol_rules import PlaceRule
from syncbot.patching.registry import rule
from syncbot.patching.source import Edits, Source


@rule("monkey_patch_moved")
class MonkeyPatchMoved(PlaceRule):
    """Replace the name where upstream looks for it now: ``a.f = ours`` and ``setattr(a, "f", ours)``.

    Reading uses stay: ``import_moved`` moves those too.
    """

    old: Symbol = Field(description="the name replaced before the change", examples=["pkg.module.make"])
    new: Symbol = Field(description="the name to replace after it", examples=["pkg.other.make"])

    def places(self, source: Source) -> Iterator[cst.BaseExpression]:
        """Yield what is assigned to."""
        for node in source.index.attributes:
            if node in source.index.stored and self.old in source.qualified(node):
                yield node

    def forward(self, source: Source) -> str:
        """Old name to new name."""
        edits = Edits()
        (old_owner, _, old_name), (new_owner, _, new_name) = (n.rpartition(".") for n in (self.old, self.new))
        owners: list[cst.BaseExpression] = []
        for node in self.places(source):
            assert isinstance(node, cst.Attribute)
            owners.append(node.value)
            if old_name != new_name:
                edits.replace(node.attr, cst.Name(new_name))
        for owner, name in _set(source):
            if old_owner in source.qualified(owner) and name.raw_value == old_name:
                owners.append(owner)
                edits.update(name, value=name.value.replace(old_name, new_name))
        if not owners:
            raise NoMatch(f"{source.path}: nothing replaces {self.old}")
        if old_owner != new_owner:
            move_uses(source, edits, old_owner, new_owner, owners)
        return source.edited(edits)


def _set(source: Source) -> Iterator[tuple[cst.BaseExpression, cst.SimpleString]]:
    """The object and the name of every ``setattr(object, "name", …)``."""
    for call in source.index.calls:
        if isinstance(call.func, cst.Name) and call.func.value == "setattr" and len(call.args) == 3:
            owner, name = call.args[0].value, call.args[1].value
            if isinstance(name, cst.SimpleString):
                yield owner, name
