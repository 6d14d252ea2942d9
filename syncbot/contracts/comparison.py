"""Two upstream trees side by side, as the judges of contracts see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Member, Universe
from syncbot.api.usage import UsageTables
from syncbot.contracts.relocation import Relocation, Relocations


@dataclass
class Comparison:
    """The old and the new upstream tree, each together with the backend's tree.

    With ``locate`` off, nobody looks for the new home of vanished names: enough where only the
    presence of a finding matters.
    """

    old: Universe
    new: Universe
    old_tree: ModuleTree
    new_tree: ModuleTree
    old_usage: UsageTables
    new_usage: UsageTables
    locate: bool = True
    siblings: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)

    @cached_property
    def changed(self) -> tuple[str, ...]:
        """The upstream modules that differ between the trees, new ones included, removed ones not."""
        before, after = self.old_tree.modules, self.new_tree.modules
        return tuple(sorted(m for m, entry in after.items() if m not in before or before[m][1] != entry[1]))

    @cached_property
    def removed(self) -> tuple[str, ...]:
        """The upstream modules that the new tree lacks."""
        return tuple(sorted(m for m in self.old_tree.modules if m not in self.new_tree.modules))

    def relocation(self, symbol: str) -> Relocation | None:
        """Where a module-level name or a module that the new tree lacks went, None where nobody can tell."""
        return self._relocations.of(symbol) if self.locate else None

    @cached_property
    def _relocations(self) -> Relocations:
        return Relocations(self.old, self.new, self.old_tree, self.new_tree, self.changed)

    def renamed_member(self, member: Member) -> str | None:
        """The name that a vanished method has now: the same body under another name in its class."""
        owner = self.new.resolve(member.owner.name)
        node = owner.class_ if owner is not None else None
        before = member.owner.class_
        if node is None or before is None:
            return None
        bodies = {f.body for f in member.functions if f.body and f.end_line - f.line >= 2}
        known = {f.name for f in before.functions}
        return next((f.name for f in node.functions if f.name not in known and f.body in bodies), None)
