"""The names in functions that are known from interface tables alone."""

from __future__ import annotations

from syncbot.api.methods import is_classmethod, is_static
from syncbot.api.model import Attribute, Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.inference.values import Scope


class TableScopes:
    """Makes them in one universe."""

    def __init__(self, universe: Universe) -> None:
        self.universe = universe

    def _scope_of(self, module: str, class_: Symbol | None, attribute: Attribute) -> Scope:
        """The names where an attribute is given its value."""
        if attribute.origin and class_ is not None:
            methods = self.universe.defined(class_, attribute.origin)
            method = next((f for f in methods if isinstance(f, Function)), None)
            if method is not None:
                return self.method_scope(module, class_, method)
        return Scope(module)

    def method_scope(self, module: str, class_: Symbol, method: Function) -> Scope:
        """The scope of a method that is known from its interface table alone."""
        names = [p.name for p in method.parameters]
        return Scope(
            module,
            class_=class_,
            receiver=names[0] if names and not is_static(method) else None,
            receiver_is_class=is_classmethod(method),
            annotations={p.name: p.annotation for p in method.parameters if p.annotation},
            opaque=frozenset(names),
        )

    def parameter_scope(self, module: str, function: Function) -> Scope:
        """The scope of a function outside classes, of which only the parameters are known."""
        annotations = {p.name: p.annotation for p in function.parameters if p.annotation}
        return Scope(module, annotations=annotations, opaque=frozenset(p.name for p in function.parameters))

    def result_scope(self, module: str, symbol: Symbol | None, function: Function) -> Scope:
        """The names where a function says what it returns."""
        owner = symbol.qualname.rpartition(".")[0] if symbol is not None else ""
        class_ = self.universe.local(module, owner) if owner else None
        if class_ is not None and class_.kind == "class":
            return self.method_scope(module, class_, function)
        return self.parameter_scope(module, function)
