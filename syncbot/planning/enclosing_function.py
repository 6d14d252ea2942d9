"""The function of the backend around a place, and the upstream one that it stands for."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from syncbot.api.expressions import dotted
from syncbot.api.model import Parameter
from syncbot.api.signatures import Signature
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.add_statement import AddStatement
from syncbot.planning.call_arguments import bound_calls
from syncbot.planning.copied_from import copied_from
from syncbot.planning.function_facts import annotation, bound_times, names, parameters, set_before
from syncbot.planning.model import Name
from syncbot.planning.planning_context import PlanningContext, UpstreamFunction
from syncbot.planning.syntax_file import Routine, SyntaxFile


@dataclass(frozen=True, slots=True)
class Value:
    """An expression as source text, and the parameters that the function has to have for it; ``handed_on``
    says that it is such a parameter, for the method that this one overrides. ``statements`` are to stand
    before it, ``imports`` make the names known that are new in the file."""

    text: str
    needs: tuple[Name, ...] = ()
    handed_on: bool = False
    statements: tuple[str, ...] = ()
    imports: tuple[Rule, ...] = ()


def together(text: str, values: Sequence[Value], made: Sequence[ast.stmt] = ()) -> Value:
    """Return an expression with all that comes along with its parts, before the statements that make it."""
    statements = [statement for value in values for statement in value.statements]
    return Value(
        text,
        tuple(dict.fromkeys(need for value in values for need in value.needs)),
        False,
        tuple(dict.fromkeys([*statements, *map(ast.unparse, made)])),
        tuple(dict.fromkeys(rule for value in values for rule in value.imports)),
    )


def all_known(values: Sequence[Value | None]) -> list[Value] | None:
    """Return values, None if one of them is not known."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None


@dataclass(frozen=True, slots=True)
class Precedent:
    """How upstream calls the same thing in the method that ours overrides: parameter → expression, before
    the change and after it."""

    function: UpstreamFunction
    before: Mapping[str, ast.expr]
    after: Mapping[str, ast.expr]


class EnclosingFunction:
    """The function of the backend around a place, and the upstream method that it overrides, replaces as a
    monkey-patch, or was copied from."""

    def __init__(self, context: PlanningContext, path: str, node: ast.AST) -> None:
        self.context = context
        self.path = path
        syntax = context.syntax(path)
        assert syntax is not None
        self.syntax: SyntaxFile = syntax
        definitions = syntax.definitions(node)
        self.within = ".".join(d.name for d in definitions)
        around = [node, *syntax.around(node)]
        self.statement = next((n for n in around if isinstance(n, ast.stmt)), None)
        self._copied = False
        last = definitions[-1] if definitions else None
        self.routine: Routine | None = last if isinstance(last, Routine) else None
        self.own = context.own_class(path, node)
        self.old: UpstreamFunction | None = None
        self.new: UpstreamFunction | None = None
        if self.own is not None and self.routine is not None:
            self.old = context.overridden(self.own, self.routine.name, new=False)
            self.new = context.overridden(self.own, self.routine.name, new=True)
        alone = self.routine is not None and self.old is None
        patch = context.stood_in_for(path, self.within) if alone else None
        home = context.pair.now(patch.owner) if patch is not None else None
        if patch is not None and home is not None:
            self.own = home
            self.old = context.method(patch.owner, patch.name, new=False)
            self.new = context.method(patch.owner, patch.name, new=True)

    def precedent(
        self, called: Collection[str], old: Signature, new: Signature, symbol: str = ""
    ) -> Precedent | None:
        """How upstream's own method calls what has one of these names; None where it does not, or in
        several ways. Where ours overrides none, the function beside ``symbol`` that it was copied from."""
        if self.old is None and self.routine is not None and symbol:
            found = copied_from(self.context, self.routine, called, symbol)
            if found is not None:
                self.old, self.new = found
                self._copied = True
        if self.old is None or self.new is None:
            return None
        before = bound_calls(self.old.node, called, old)
        after = bound_calls(self.new.node, called, new)
        if len(before) != 1 or len(after) != 1:
            return None
        return Precedent(self.new, before[0], after[0])

    def handed_on(self, call: ast.Call, parameter: str) -> Value | None:
        """The parameter itself, where a method calls the one that it overrides."""
        function = call.func
        if not isinstance(function, ast.Attribute) or self.routine is None:
            return None
        receiver = function.value
        by_super = isinstance(receiver, ast.Call) and dotted(receiver.func) == "super"
        if not by_super or function.attr != self.routine.name or self.binds(parameter):
            return None
        return Value(parameter, (Name(self.path, self.within, parameter),), handed_on=True)

    def handed_on_by_name(self, call: ast.Call) -> dict[str, ast.expr] | None:
        """The arguments of a call of the overridden method that only hands on parameters of ours, each for
        the parameter of its own name; None where it passes anything else.

        Such a call shows what it means even where it fits no signature.
        """
        if self.routine is None or self.handed_on(call, "") is None:
            return None
        mine = parameters(self.routine)
        bound = {a.id: a for a in call.args if isinstance(a, ast.Name)}
        named = {k.arg: k.value for k in call.keywords if k.arg is not None}
        plain = len(bound) == len(call.args) and len(named) == len(call.keywords)
        plain = plain and all(isinstance(v, ast.Name) and v.id == k for k, v in named.items())
        if not plain or bound.keys() & named.keys() or any(n not in mine or self.binds(n) for n in bound):
            return None
        return {**bound, **named}

    def of_the_name(self, call: ast.Call, parameter: Parameter | None) -> Value | None:
        """The parameter or variable of the function around a call that has the very name of what is to be
        passed, where it is set on every way to the call, once, and not said to be of another type."""
        routine = self.routine
        if routine is None or parameter is None:
            return None
        name, bound = parameter.name, bound_times(routine, parameter.name)
        if name in {n.id for argument in (*call.args, *call.keywords) for n in names(argument)}:
            # It is passed for something else already.
            return None
        if name in parameters(routine):
            written = annotation(routine, name)
            same = None in (written, parameter.annotation) or _types(written) & _types(parameter.annotation)
            return Value(name) if not bound and same else None
        return Value(name) if bound == 1 and name in set_before(routine, call) else None

    def rules(self, values: Iterable[Value]) -> tuple[Rule, ...] | None:
        """Return the imports and statements that these values need; None where they cannot be added."""
        every = list(values)
        imports = dict.fromkeys(rule for value in every for rule in value.imports)
        statements = dict.fromkeys(text for value in every for text in value.statements)
        if not statements:
            return tuple(imports)
        text = self.syntax.source(self.statement) if self.statement is not None else ""
        if not text or text.startswith(("elif ", "@")):
            return None
        code = "\n".join(statements)
        within = self.within or None
        before = AddStatement(file=self.path, within=within, code=code, position="before", anchor=text)
        return (*imports, before)

    def binds(self, name: str) -> bool:
        """Whether the function gives the name another meaning than that of a parameter."""
        if self.routine is None:
            return True
        return any(n.id == name and isinstance(n.ctx, ast.Store) for n in names(self.routine))


def _types(annotation: str | None) -> set[str]:
    """The names in an annotation, ``None`` and ``Optional`` left out."""
    return set(re.findall(r"\w+", annotation or "")) - {"None", "Optional", "typing"}
