"""Of which class conditions and assertions tell that a name is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.expressions import dotted, expression
from syncbot.api.symbols import Symbol
from syncbot.contracts.inference.declarations import Declarations
from syncbot.contracts.inference.narrowing import asserted_at
from syncbot.contracts.inference.type_guards import class_told
from syncbot.contracts.inference.values import Scope, Value


class ToldClasses(Declarations):
    """Tells them in one universe."""

    def _narrowed(self, node: ast.expr, scope: Scope, depth: int) -> Value | None:
        """An object of the class that a condition names for a name."""
        if not scope.tells:
            return None
        for told in _told(node, scope):
            written = expression(told)
            if written is not None and not isinstance(written, ast.Call | ast.Tuple):
                class_ = self.infer(written, scope, depth + 1)
                return object_of(class_) if class_ is not None else None
        return None

    def alternatives(self, node: ast.expr, scope: Scope, depth: int = 0) -> tuple[Symbol, ...]:
        """The classes of which a condition names several for a name, or that declarations tell."""
        return self.told_several(node, scope, depth) or super().alternatives(node, scope, depth)

    def told_several(self, node: ast.expr, scope: Scope, depth: int = 0) -> tuple[Symbol, ...]:
        """The classes that a condition leaves to a name, where it names several that are all known."""
        for told in _told(node, scope) if scope.tells else ():
            written = expression(told)
            if isinstance(written, ast.Tuple):
                found = [self.infer(one, scope, depth + 1) for one in written.elts]
                known = [v.symbol for v in found if v is not None and object_of(v) is not None]
                return tuple(known) if len(known) == len(found) else ()
        return ()

    def _guarded(self, node: ast.expr, found: Value | None, scope: Scope, depth: int) -> Value | None:
        """An object of the class that a function tells of a name, unless it was found to be of another class
        from where that class is."""
        if not scope.tells:
            return found
        for told in _told(node, scope):
            written = expression(told)
            asked = self.infer(written.func, scope, depth + 1) if isinstance(written, ast.Call) else None
            class_ = class_told(asked.symbol.functions) if asked is not None and not asked.instance else None
            guarded = self._annotated(asked.symbol.module, class_) if asked is not None and class_ else None
            if guarded is not None and (found is None or not self._of_one_tree(found.symbol, guarded.symbol)):
                return guarded
        return found

    def _of_one_tree(self, one: Symbol, other: Symbol) -> bool:
        return self.universe.tree_of(one.module) is self.universe.tree_of(other.module)


def object_of(value: Value) -> Value | None:
    """An object of a class; None for what is no class."""
    return Value(value.symbol, instance=True) if value.symbol.kind == "class" and not value.instance else None


def _told(node: ast.expr, scope: Scope) -> Iterator[str]:
    """Yield what conditions tell of a name: a class, or the call of a function that is asked of it. What is
    told around a function that binds the name again is told of another one."""
    name, passed = "", list[Scope]()
    at: Scope | None = scope
    while at is not None:
        if at.narrowed or at.asserted:
            name = name or dotted(node) or ""
            if any(_binds(inner, name.partition(".")[0]) for inner in passed):
                return
            line = getattr(node, "lineno", 0)
            told = at.narrowed.get(name) or asserted_at(line, at.asserted.get(name, ()))
            if told is not None:
                yield told
        passed.append(at)
        at = at.parent


def _binds(scope: Scope, name: str) -> bool:
    bound = (scope.opaque, scope.values, scope.annotations, scope.imports)
    return name == scope.receiver or any(name in names for names in bound)
