"""The value of a name in a function, by its parameters, its imports and the values that it is given there."""

from __future__ import annotations

from abc import abstractmethod

from syncbot.api.symbols import Symbol
from syncbot.contracts.inference.held_tables import HeldTables
from syncbot.contracts.inference.local_imports import annotated_locally
from syncbot.contracts.inference.values import Scope, Value


class NamesInScopes(HeldTables):
    """Tells names; what a symbol or an expression is, the class derived from this one tells."""

    @abstractmethod
    def _symbol(self, symbol: Symbol, depth: int) -> Value | None: ...

    def _name(self, name: str, scope: Scope, depth: int) -> Value | None:
        at: Scope | None = scope
        while at is not None:
            if name == at.receiver and at.class_ is not None:
                return Value(at.class_, instance=not at.receiver_is_class)
            if name in at.annotations:
                written = at.annotations[name]
                annotated = annotated_locally(self.universe, at, written) or self._annotated(
                    at.module, written
                )
                if annotated is not None:
                    return annotated
                if name not in at.values and name not in at.inherited:
                    return None
            if name in at.inherited and name not in at.values:
                return self._of(at.inherited[name])
            if name in at.imports:
                symbol = self.universe.resolve(at.imports[name])
                return None if symbol is None else self._symbol(symbol, depth)
            if name in at.values and name not in at.active:
                return self._given(name, at, depth)
            if name in at.opaque:
                return None
            at = at.parent
        found = self.universe.local(scope.module, name)
        return None if found is None else self._symbol(found, depth)

    def _given(self, name: str, scope: Scope, depth: int) -> Value | None:
        """The value of a name that a function gives some."""
        known = scope.known.get(name)
        if known is not None:
            self.universe.replay(known[1])
            return known[0]
        alone, before = not scope.active, self._cut
        scope.active.add(name)
        try:
            with self.universe.watch() as seen:
                value = self._agreed([self.infer(v, scope, depth + 1) for v in scope.values[name]])
        finally:
            scope.active.discard(name)
        # What was told without following a circle or a deep chain to its end holds for nobody else.
        if alone and self._cut == before:
            scope.known[name] = (value, frozenset(seen()))
        return value

    def _super(self, scope: Scope) -> Value | None:
        at: Scope | None = scope
        while at is not None:
            if at.class_ is not None:
                return Value(at.class_, instance=True, skip=1)
            # A method whose class cannot be told: the class around that one is not what is meant.
            if at.receiver is not None:
                return None
            at = at.parent
        return None

    def _agreed(self, values: list[Value | None]) -> Value | None:
        known = [v for v in values if v is not None]
        names = {(v.symbol.name, v.instance) for v in known}
        return known[0] if len(names) == 1 else None
