"""Upstream moved a module or a symbol to another module."""

from __future__ import annotations

from pydantic import Field

from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.patching.argument_types import Dotted
from syncbot.patching.registry import ApiChange, Rule, rule
from syncbot.patching.source import Source
from syncbot.patching.whole_moves import WholeMove


@rule("import_moved", answers=(ChangeKind.SYMBOL_MOVED, ChangeKind.MODULE_MOVED))
class ImportMoved(Rule):
    """Import a module or a symbol from where upstream keeps it now.

    From-imports keep binding the name they bound (``import New as Old`` where it was renamed, too), so
    that uses, quoted annotations and other modules of the backend stay as they are. Uses through a module
    (``a.b.X``) are rewritten together with the import that they need. Two statements in a row that import
    names without ``as`` from one module are taken for one, as isort writes them: backward joins them.
    """

    old: Dotted = Field(description="dotted module, or module.symbol", examples=["pkg.utils.Thing"])
    new: Dotted = Field(description="dotted module, or module.symbol", examples=["pkg.utils.things.Thing"])

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Only files that mention the top package and the last name."""
        name = self.old if forward else self.new
        return (name.partition(".")[0], name.rpartition(".")[2])

    def forward(self, source: Source) -> str:
        """Old place to new place."""
        return WholeMove(source, self.old, self.new).text()

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Answers ``symbol-moved`` and ``module-moved`` where the name is no string."""
        match change.details:
            case NameDetails(old=old, new=str(new)) if change.contract != "string":
                return cls(old=old, new=new)
        return None
