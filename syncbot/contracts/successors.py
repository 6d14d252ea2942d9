"""Which class stands where one that is gone stood: in the annotations of the same functions and fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from syncbot.api.annotated_classes import named_class
from syncbot.api.model import Class, Function, ModuleTable
from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe

# So many annotations have to name the other class, and none a third one.
_FEWEST = 2


class Successors:
    """Finds them in the modules that differ between two trees."""

    def __init__(
        self, old: Universe, new: Universe, old_tree: ModuleTree, new_tree: ModuleTree, changed: Sequence[str]
    ) -> None:
        self._old, self._new = old, new
        self._old_tree, self._new_tree = old_tree, new_tree
        self._changed = changed
        self._known: dict[str, tuple[Symbol | None, frozenset[str]]] = {}

    def of(self, lost: Symbol) -> Symbol | None:
        """The one class that stands in the place of a lost one; None where none does, or several do."""
        if lost.name not in self._known:
            self._known[lost.name] = self._found(lost)
        found, modules = self._known[lost.name]
        # Who asks once more has looked at them as well.
        self._new_tree.note(modules)
        return found

    def _found(self, lost: Symbol) -> tuple[Symbol | None, frozenset[str]]:
        """That class, and the modules that were looked at."""
        name, counts = lost.qualname.rpartition(".")[2], Counter[str]()
        modules = self._old_tree.mentioning(self._changed, name)
        for module in modules:
            before, after = self._old_tree.table(module), self._new_tree.table(module)
            for was, now in _annotations(before, after) if before is not None and after is not None else ():
                if named_class(was) is not None and self._names(self._old, module, was) == lost.name:
                    counts[self._names(self._new, module, now)] += 1
        alone = len(counts) == 1 and counts.total() >= _FEWEST
        found = self._new.resolve(next(iter(counts))) if alone else None
        return found if found is not None and found.kind == "class" else None, frozenset(modules)

    def _names(self, universe: Universe, module: str, annotation: str) -> str:
        found = universe.annotation_class(module, annotation)
        return found.name if found is not None else ""


def _annotations(before: ModuleTable, after: ModuleTable) -> Iterator[tuple[str, str]]:
    """Yield what each parameter, result and field is annotated with in two states of a module, or of a
    class."""
    yield from _of_functions(before.functions, after.functions)
    there = {class_.name: class_ for class_ in after.classes}
    for class_ in before.classes:
        if class_.name in there:
            yield from _of_classes(class_, there[class_.name])


def _of_classes(before: Class, after: Class) -> Iterator[tuple[str, str]]:
    yield from _of_functions(before.functions, after.functions)
    fields = {a.name: a.annotation for a in after.attributes if a.annotation}
    for attribute in before.attributes:
        if attribute.annotation and attribute.name in fields:
            yield attribute.annotation, fields[attribute.name] or ""


def _of_functions(before: Iterable[Function], after: Iterable[Function]) -> Iterator[tuple[str, str]]:
    there = {function.name: function for function in after}
    for function in before:
        now = there.get(function.name)
        if now is None:
            continue
        if function.annotation and now.annotation:
            yield function.annotation, now.annotation
        taken = {p.name: p.annotation for p in now.parameters if p.annotation}
        for parameter in function.parameters:
            if parameter.annotation and parameter.name in taken:
                yield parameter.annotation, taken[parameter.name] or ""
