"""Upstream renamed a symbol within its module."""

from __future__ import annotations

from pydantic import Field

from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.patching.argument_types import Name, Symbol
from syncbot.patching.registry import ApiChange, Rule, rule
from syncbot.patching.rewrites.import_moved import ImportMoved
from syncbot.patching.source import Source


@rule("symbol_renamed", answers=(ChangeKind.SYMBOL_RENAMED,))
class SymbolRenamed(Rule):
    """Import a symbol by its new name; see ``import_moved`` for how uses are kept."""

    symbol: Symbol = Field(description="dotted name before the change", examples=["pkg.module.OldName"])
    new_name: Name = Field(description="the last part after the change", examples=["NewName"])

    def needles(self, forward: bool) -> tuple[str, ...]:
        """As of the move."""
        return self._move().needles(forward)

    def forward(self, source: Source) -> str:
        """Old name to new name."""
        return self._move().forward(source)

    def mirror(self) -> Rule:
        """The same rule from the new name to the old one."""
        module, _, name = self.symbol.rpartition(".")
        return SymbolRenamed(symbol=f"{module}.{self.new_name}", new_name=name)

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers ``symbol-renamed`` where the name is no string."""
        match change.details:
            case NameDetails(new=str(new)) if change.contract != "string":
                return cls(symbol=change.symbol, new_name=new.rpartition(".")[2])
        return None

    def _move(self) -> ImportMoved:
        module = self.symbol.rpartition(".")[0]
        return ImportMoved(old=self.symbol, new=f"{module}.{self.new_name}")
