"""Finds the value to pass for a parameter that upstream now wants: the expression that upstream itself passes
in the same place. The same place is the upstream method that the function around our call overrides, or
replaces by a monkey-patch. An expression is taken over only if every name in it means the same in both: a
parameter of both, an attribute that the object inherits, a local variable made by the same statement or
unpacked by its name from the same thing, or a name that both modules bind to the same thing. Values that
upstream makes by a statement of its own, or imports, are added as well (``_along``)."""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace

from syncbot.api.every_node import every_node
from syncbot.planning import accompanying_statements
from syncbot.planning.corresponding_variables import corresponding
from syncbot.planning.enclosing_function import EnclosingFunction, Value, all_known, together
from syncbot.planning.function_facts import (
    annotation,
    binding,
    names,
    parameters,
    result_of,
    set_before,
    unpacked,
    with_names,
)
from syncbot.planning.model import Name
from syncbot.planning.planning_context import UpstreamFunction
from syncbot.planning.syntax_file import Routine


class Surroundings(EnclosingFunction):
    """The function around our call, with the meanings that upstream's expressions have in it."""

    def means_the_same(self, expression: ast.expr, function: UpstreamFunction) -> Value | None:
        """The expression, if it means here what it means in a method of upstream, with what comes along."""
        return self._meaning(expression, function, 3)

    def _meaning(self, expression: ast.expr, function: UpstreamFunction, depth: int) -> Value | None:
        if any(isinstance(n, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Lambda)
               for n in every_node(expression)):  # fmt: skip
            return None
        own = {n.id for n in names(expression) if isinstance(n.ctx, ast.Store)}
        said = [name for name in names(expression) if name.id not in own]
        read = all_known([self._of_name(name, expression, function, depth) for name in said])
        made = all_known(self.prepared(expression, function) if depth else [])
        if read is None or made is None:
            return None
        others = {name.id: value.text for name, value in zip(said, read, strict=True)}
        made = [replace(value, statements=(*value.statements, value.text)) for value in made]
        return together(with_names(expression, others), [*read, *made])

    def _of_name(
        self, name: ast.Name, expression: ast.expr, function: UpstreamFunction, depth: int
    ) -> Value | None:
        """Return the value that a name of an upstream expression has here, with all that it needs."""
        theirs = parameters(function.node)
        if name.id in theirs[:1] and function.owner is not None:
            return Value(name.id) if self._inherits(expression, name, function) else None
        if name.id in theirs:
            if self.binds(name.id) or not self.same_type(name.id, function.node):
                return None
            return Value(name.id, (Name(self.path, self.within, name.id),))
        if self._same_local(name.id, function) or self._same_global(name.id, function):
            return Value(name.id)
        mine = self._counterpart(name.id, function)
        return Value(mine) if mine is not None else self._along(name, function, depth)

    def prepared(self, place: ast.AST, function: UpstreamFunction) -> list[Value | None]:
        """The new statements of upstream that hand a variable read at a place to a call before it, as they
        are written here; None for one that means something else here."""
        old = self.old.node if self.old is not None else None
        if self.routine is None:
            return []
        first = parameters(function.node)[:1] if function.owner is not None else []
        used = accompanying_statements.used_names(place) - set(first)
        found = accompanying_statements.prepared_by(used, place, function.node, old, self.routine)
        return [self._meaning(statement.value, function, 0) for statement in found]

    def _along(self, name: ast.Name, function: UpstreamFunction, depth: int) -> Value | None:
        """Return a name that our function lacks, with the statements or the import that define it."""
        if self.routine is None or self.binds(name.id) or name.id in parameters(self.routine):
            return None
        old = self.old.node if self.old is not None else None
        made = accompanying_statements.made_by(name.id, name, function.node, old) if depth else []
        if made:
            read = [e for part in made for e in accompanying_statements.expressions(part)]
            values = [v for e in read if (v := self._meaning(e, function, depth - 1)) is not None]
            known = self.context.pair.new.local(self.context.module(self.path), name.id) is not None
            as_it_is = [value.text for value in values] == list(map(ast.unparse, read))
            return together(name.id, values, made) if as_it_is and not known else None
        if binding(function.node, name.id):
            return None
        rule = accompanying_statements.imported(self.context, self.path, name.id, function.module)
        return None if rule is None else Value(name.id, imports=(rule,))

    def has(self, node: ast.Attribute, function: UpstreamFunction) -> bool:
        """Whether an attribute that upstream's method reads of its object is there in ours; true of the
        attributes of anything else."""
        theirs = parameters(function.node)
        name = node.value
        if not isinstance(name, ast.Name) or not theirs or name.id != theirs[0]:
            return True
        return self._inherits(node, name, function)

    def _inherits(self, expression: ast.expr, name: ast.Name, function: UpstreamFunction) -> bool:
        """Whether the attributes that an expression reads of the object are inherited ones, or in a copy are
        set by the same statement."""
        mine = parameters(self.routine) if self.routine is not None else []
        if not mine or mine[0] != name.id or (self.own is None and not self._copied):
            return False
        for node in every_node(expression):
            if isinstance(node, ast.Attribute) and node.value is name:
                if self._copied or self.own is None:
                    return self._sets_alike(ast.unparse(node), function)
                return self.context.pair.new.member(self.own, node.attr) is not None
        return False

    def _sets_alike(self, attribute: str, function: UpstreamFunction) -> bool:
        """Whether both functions set an attribute by one and the same statement."""
        assert self.routine is not None
        found = [
            [ast.unparse(n) for n in every_node(routine)
             if isinstance(n, ast.Assign | ast.AnnAssign | ast.AugAssign)
             and attribute in map(ast.unparse, n.targets if isinstance(n, ast.Assign) else [n.target])]
            for routine in (self.routine, function.node)
        ]  # fmt: skip
        return len(found[0]) == 1 and found[0] == found[1]

    def same_type(self, name: str, theirs: Routine) -> bool:
        """Whether the parameter's annotations do not contradict each other: ours may be a class that derives
        from theirs."""
        assert self.routine is not None
        mine, other = annotation(self.routine, name), annotation(theirs, name)
        if mine is None or other is None or _last(mine) == _last(other):
            return True
        universe = self.context.pair.new
        own = universe.local(self.context.module(self.path), mine.strip("'\""))
        if own is None or own.kind != "class":
            return False
        return _last(other) in {c.qualname for c in universe.lineage(own).classes}

    def _same_local(self, name: str, function: UpstreamFunction) -> bool:
        """Whether both functions make the variable by one and the same statement, unpack it by its name from
        the same thing, or have it as the result of the same call of the object, which upstream's had before
        the change as well: what ours hands to that call is what the result is of here."""
        if self.routine is None:
            return False
        mine, theirs = binding(self.routine, name), binding(function.node, name)
        if len(mine) == 1 and mine == theirs:
            return True
        if self.old is not None and not self._copied:
            routines = (self.routine, self.old.node, function.node)
            called = {result_of(routine, name) for routine in routines}
            if len(called) == 1 and None not in called:
                return True
        sources = [unpacked(routine, name) for routine in (self.routine, function.node)]
        return len(mine) == len(theirs) == 1 and sources[0] == sources[1] is not None

    def _counterpart(self, name: str, function: UpstreamFunction) -> str | None:
        """Our variable that stands for one of upstream's function, where it is set by now."""
        if self.routine is None or self.statement is None or self.old is None:
            return None

        def same(called: ast.expr) -> bool:
            first = next(names(called), None)
            if first is None or function.owner is None or first.id != parameters(function.node)[0]:
                return isinstance(called, ast.Name) and self._same_global(called.id, function)
            return self._inherits(called, first, function)

        mine = corresponding(name, function.node, self.old.node, self.routine, same)
        known = {*parameters(self.routine), *set_before(self.routine, self.statement)}
        return mine if mine in known else None

    def _same_global(self, name: str, function: UpstreamFunction) -> bool:
        if self.routine is not None and (self.binds(name) or name in parameters(self.routine)):
            return False
        universe = self.context.pair.new
        module = self.context.module(self.path)
        mine, theirs = universe.local(module, name), universe.local(function.module, name)
        if mine is None and theirs is None:
            return hasattr(builtins, name) or self._imported_alike(name, function)
        if mine is None or theirs is None:
            return False
        return (mine.kind, mine.name) == (theirs.kind, theirs.name)

    def _imported_alike(self, name: str, function: UpstreamFunction) -> bool:
        """Whether both modules import the name, which is nobody's here, in one and the same way."""
        universe = self.context.pair.new
        tables = [universe.table(m) for m in (self.context.module(self.path), function.module)]
        found = [
            {(i.module, i.name, i.level, i.scope) for i in table.imports if i.local == name}
            for table in tables
            if table is not None
        ]
        return len(found) == 2 and len(found[0]) == 1 and found[0] == found[1]


def _last(annotation: str) -> str:
    return annotation.strip("'\"").rpartition(".")[2]
