"""Upstream methods that never run where the backend does: its classes override them and do not call them."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.model import Class
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Symbol, Universe
from syncbot.api.usage import UsageTables


class Shadows:
    """The methods of the backend's classes that stand for upstream ones, looked up when asked for."""

    def __init__(self, own: ModuleTree, usage: UsageTables, universe: Universe) -> None:
        self._own = own
        self._usage = usage
        self._universe = universe
        self._known: dict[str, bool] = {}

    def hide(self, module: str, scope: str) -> bool:
        """Whether the upstream code in a scope (``Class.method`` …) of a module is overridden by a class of
        the backend that does not call it."""
        parts = scope.split(".")
        for index in range(len(parts) - 1, 0, -1):
            found = self._universe.local(module, ".".join(parts[:index]))
            if found is not None and found.kind == "class":
                return self.hides(found, parts[index])
        return False

    def hides(self, class_: Symbol, method: str) -> bool:
        """The same for a method of a class."""
        key = f"{class_.name}.{method}"
        if key not in self._known:
            self._known[key] = any(
                self._stands_for(module, own, class_, method) for module, own in self._defining(method)
            )
        return self._known[key]

    def _defining(self, method: str) -> Iterator[tuple[str, Symbol]]:
        """The backend's classes that define a method of that name."""
        for module in self._own.mentioning(self._own.modules, f"def {method}("):
            table = self._own.table(module)
            for name, class_ in _classes(table.classes if table is not None else (), ""):
                if any(f.name == method for f in class_.functions):
                    found = self._universe.local(module, name)
                    if found is not None:
                        yield module, found

    def _stands_for(self, module: str, own: Symbol, class_: Symbol, method: str) -> bool:
        if all(c.name != class_.name for c in self._universe.lineage(own).classes[1:]):
            return False
        inside = f"{own.qualname}.{method}"
        for _, call in self._usage.calls((module,), method):
            receiver = call.callee.rpartition(".")[0]
            if f"{call.scope}.".startswith(f"{inside}.") and (
                receiver == "super()" or receiver.rpartition(".")[2] == class_.qualname.rpartition(".")[2]
            ):
                return False
        return True


def _classes(classes: tuple[Class, ...], outer: str) -> Iterator[tuple[str, Class]]:
    for class_ in classes:
        name = f"{outer}{class_.name}"
        yield name, class_
        yield from _classes(class_.classes, f"{name}.")
