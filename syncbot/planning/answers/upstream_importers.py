"""Names that are gone, and that upstream's own importers now import from somewhere else. What stood in two
places before and stands in one now has not moved there; that upstream's importers of the one all went over to
the other shows that they mean the same."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.model import ModuleTable
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.imports import ImportContract
from syncbot.impact.model import Impact, Location
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.import_moved import ImportMoved
from syncbot.planning.answer_registry import Phase, place_answerer
from syncbot.planning.model import Answer, Author, Reply
from syncbot.planning.planning_context import PlanningContext


@place_answerer(Phase.UPSTREAM_USERS, (ChangeKind.SYMBOL_REMOVED, ChangeKind.MODULE_REMOVED), "import")
def imported_elsewhere(impact: Impact, place: Location, context: PlanningContext) -> Reply:
    """Each name that the impact's imports name, from where all of upstream's importers have it now."""
    gone = imports_gone(impact, place, context)
    rules: list[Rule] = []
    for contract in gone:
        homes = set(_homes(contract, context.pair)) if contract.name is not None else set()
        if len(homes) != 1:
            return Author(f"upstream's own importers do not show where {contract.symbol} is now")
        home = homes.pop()
        if not context.pair.takes_the_place(contract.symbol, home):
            return Author(f"upstream's own importers have {home} now, which leaves more to subclasses")
        rules.append(ImportMoved(old=contract.symbol, new=home))
    return Answer(tuple(rules)) if gone else None


def imports_gone(impact: Impact, place: Location, context: PlanningContext) -> list[ImportContract]:
    """Return the imports at a place of what an impact says is gone."""
    imports = context.contracts_at(place, ImportContract)
    return [c for c in imports if impact.symbol in (c.symbol, c.from_module)]


def _homes(contract: ImportContract, pair: Comparison) -> Iterator[str]:
    """Where upstream modules that imported the name import one of that name from now."""
    both = [m for m in pair.changed if m in pair.old_tree.modules]
    for module in pair.old_tree.mentioning(both, contract.name or ""):
        before, after = pair.old_tree.table(module), pair.new_tree.table(module)
        if before is None or after is None or contract.symbol not in _imported(before, contract):
            continue
        for symbol in _imported(after, contract):
            if symbol != contract.symbol and pair.new.resolve(symbol) is not None:
                yield symbol


def _imported(table: ModuleTable, contract: ImportContract) -> set[str]:
    return {f"{i.module}.{i.name}" for i in table.imports if i.name == contract.name and not i.level}
