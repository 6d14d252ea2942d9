"""Values that the backend looks up in a table of functions or classes."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from syncbot.api.expressions import dotted
from syncbot.contracts.inference.tables import held_under, looked_up, tables_in
from syncbot.contracts.inference.told_classes import ToldClasses
from syncbot.contracts.inference.values import Scope, Value


@dataclass(frozen=True, slots=True)
class Lookup:
    """The values that an expression may give which looks into a table, None for what is not known; it gives
    ``each`` one in a loop."""

    values: tuple[Value | None, ...] = ()
    each: bool = False


NOTHING_HELD = Lookup()


class HeldTables(ToldClasses):
    """Looks them up in one universe."""

    def held_in_table(self, node: ast.expr, scope: Scope, depth: int = 0) -> Lookup:
        """Return what an expression may be that looks into a table of the backend."""
        looking = looked_up(node)
        table = self._table(looking.table, scope, depth) if looking is not None else None
        if looking is None or table is None:
            return NOTHING_HELD
        literal, there = table
        held = held_under(literal, looking)
        return Lookup(tuple(self.infer(value, there, depth + 1) for value in held), looking.each)

    def in_table(self, node: ast.expr, scope: Scope, depth: int) -> Value | None:
        """The one function or class that an expression is which looks into a table."""
        values = self.held_in_table(node, scope, depth).values
        first = values[0] if values else None
        return first if first is not None and not first.instance and set(values) == {first} else None

    def _table(self, node: ast.expr, scope: Scope, depth: int) -> tuple[ast.expr, Scope] | None:
        """The table that an expression is or names, and the names where that is written out."""
        match node:
            case ast.Dict() | ast.List() | ast.Tuple():
                return node, scope
            case ast.Name(id=name) if not scope.binds(name):
                found = self.universe.local(scope.module, name)
                known = found is not None and found.kind == "variable"
                return self._in_module(found.module, found.qualname) if known and found is not None else None
            case ast.Attribute(value=inner, attr=attr) if dotted(inner) is not None:
                base = self.infer(inner, scope, depth + 1)
                if base is None or base.symbol.kind != "class":
                    return None
                member = self.universe.member(base.symbol, attr, base.skip)
                if member is None or member.functions:
                    return None
                return self._in_module(member.owner.module, f"{member.owner.qualname}.{attr}")
        return None

    def _in_module(self, module: str, name: str) -> tuple[ast.expr, Scope] | None:
        # Of upstream, the interface alone is looked at here.
        source = self.universe.source(module) if self.universe.is_followed(module) else None
        literal = tables_in(source).get(name) if source is not None else None
        return (literal, Scope(module)) if literal is not None else None
