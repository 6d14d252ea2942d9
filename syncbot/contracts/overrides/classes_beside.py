"""Classes of upstream's that derive from what a class of the backend derives from."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.symbols import Symbol
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.overrides.upstream_tests import is_test


def classes_beside(own: Symbol, method: str, pair: Comparison) -> Iterator[Symbol]:
    """Those of the new tree, but its tests, that define a method of that name themselves."""
    ancestors = {c.name for c in pair.new.lineage(own).classes[1:] if pair.is_upstream(c.module)}
    tree = pair.new_tree
    for module in tree.mentioning(tree.modules, f"def {method}("):
        table = tree.table(module) if not is_test(module) else None
        for class_ in table.classes if table is not None else ():
            if all(function.name != method for function in class_.functions):
                continue
            found = pair.new.local(module, class_.name)
            if found is None:
                continue
            if not ancestors.isdisjoint(c.name for c in pair.new.lineage(found).classes[1:]):
                yield found
