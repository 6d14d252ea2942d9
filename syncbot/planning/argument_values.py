"""What to pass for a parameter that upstream wants now: what upstream itself passes in the same place. The
same place is the upstream method that the function around our call overrides, or that a monkey-patch puts it
in the place of. An expression is taken over only if every name in it means the same in both: a parameter of
both, an attribute that the object inherits, a local variable made by the same statement or unpacked by its
name from the same thing, or a name that both modules bind to the same thing. What upstream makes by a
statement of its own, or imports, comes along (``along``)."""

from __future__ import annotations

import ast
import builtins
import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from syncbot.api.expressions import dotted
from syncbot.api.model import Parameter
from syncbot.api.signatures import Signature
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.add_statement import AddStatement
from syncbot.planning import accompanying_statements
from syncbot.planning.copied_from import copied_from
from syncbot.planning.corresponding_variables import corresponding, renamed
from syncbot.planning.function_facts import (
    annotation,
    binding,
    bound_times,
    names,
    parameters,
    result_of,
    set_before,
    unpacked,
)
from syncbot.planning.model import Name
from syncbot.planning.planning_context import (
    PlanningContext,
    Routine,
    SyntaxFile,
    UpstreamFunction,
    callee,
)


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


def _together(text: str, values: Sequence[Value], made: Sequence[ast.stmt] = ()) -> Value:
    """An expression with all that comes along with its parts, before the statements that make it."""
    statements = [statement for value in values for statement in value.statements]
    return Value(
        text,
        tuple(dict.fromkeys(need for value in values for need in value.needs)),
        False,
        tuple(dict.fromkeys([*statements, *map(ast.unparse, made)])),
        tuple(dict.fromkeys(rule for value in values for rule in value.imports)),
    )


def _all_known(values: Sequence[Value | None]) -> list[Value] | None:
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None


@dataclass(frozen=True, slots=True)
class Precedent:
    """How upstream calls the same thing in the method that ours overrides: parameter → expression, before
    the change and after it."""

    function: UpstreamFunction
    before: Mapping[str, ast.expr]
    after: Mapping[str, ast.expr]


class Surroundings:
    """The function of the backend around a call, and the upstream method that it overrides."""

    def __init__(self, context: PlanningContext, path: str, node: ast.AST) -> None:
        self._world = context
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
            found = copied_from(self._world, self.routine, called, symbol)
            if found is not None:
                self.old, self.new = found
                self._copied = True
        if self.old is None or self.new is None:
            return None
        before = _calls(self.old.node, called, old)
        after = _calls(self.new.node, called, new)
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
        if not by_super or function.attr != self.routine.name or self._binds(parameter):
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
        if not plain or bound.keys() & named.keys() or any(n not in mine or self._binds(n) for n in bound):
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

    def means_the_same(self, expression: ast.expr, function: UpstreamFunction) -> Value | None:
        """The expression, if it means here what it means in a method of upstream, with what comes along."""
        return self._meaning(expression, function, 3)

    def _meaning(self, expression: ast.expr, function: UpstreamFunction, depth: int) -> Value | None:
        if any(isinstance(n, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Lambda)
               for n in ast.walk(expression)):  # fmt: skip
            return None
        own = {n.id for n in names(expression) if isinstance(n.ctx, ast.Store)}
        said = [name for name in names(expression) if name.id not in own]
        read = _all_known([self._of_name(name, expression, function, depth) for name in said])
        made = _all_known(self.prepared(expression, function) if depth else [])
        if read is None or made is None:
            return None
        others = {name.id: value.text for name, value in zip(said, read, strict=True)}
        made = [replace(value, statements=(*value.statements, value.text)) for value in made]
        return _together(renamed(expression, others), [*read, *made])

    def _of_name(
        self, name: ast.Name, expression: ast.expr, function: UpstreamFunction, depth: int
    ) -> Value | None:
        """What a name in an expression of upstream's is here, with what comes along."""
        theirs = parameters(function.node)
        if name.id in theirs[:1] and function.owner is not None:
            return Value(name.id) if self._inherits(expression, name, function) else None
        if name.id in theirs:
            if self._binds(name.id) or not self.same_type(name.id, function.node):
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
        """What makes a name of upstream's method known here that our function does not have."""
        if self.routine is None or self._binds(name.id) or name.id in parameters(self.routine):
            return None
        old = self.old.node if self.old is not None else None
        made = accompanying_statements.made_by(name.id, name, function.node, old) if depth else []
        if made:
            read = [e for part in made for e in accompanying_statements.expressions(part)]
            values = [v for e in read if (v := self._meaning(e, function, depth - 1)) is not None]
            known = self._world.pair.new.local(self._world.module(self.path), name.id) is not None
            as_it_is = [value.text for value in values] == list(map(ast.unparse, read))
            return _together(name.id, values, made) if as_it_is and not known else None
        if binding(function.node, name.id):
            return None
        rule = accompanying_statements.imported(self._world, self.path, name.id, function)
        return None if rule is None else Value(name.id, imports=(rule,))

    def rules(self, values: Iterable[Value]) -> tuple[Rule, ...] | None:
        """What has to come along for these values, before the statement around; None where it cannot."""
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
        for node in ast.walk(expression):
            if isinstance(node, ast.Attribute) and node.value is name:
                if self._copied or self.own is None:
                    return self._sets_alike(ast.unparse(node), function)
                return self._world.pair.new.member(self.own, node.attr) is not None
        return False

    def _sets_alike(self, attribute: str, function: UpstreamFunction) -> bool:
        """Whether both functions set an attribute by one and the same statement."""
        assert self.routine is not None
        found = [
            [ast.unparse(n) for n in ast.walk(routine)
             if isinstance(n, ast.Assign | ast.AnnAssign | ast.AugAssign)
             and attribute in map(ast.unparse, n.targets if isinstance(n, ast.Assign) else [n.target])]
            for routine in (self.routine, function.node)
        ]  # fmt: skip
        return len(found[0]) == 1 and found[0] == found[1]

    def _binds(self, name: str) -> bool:
        """Whether the function gives the name another meaning than that of a parameter."""
        if self.routine is None:
            return True
        return any(n.id == name and isinstance(n.ctx, ast.Store) for n in names(self.routine))

    def same_type(self, name: str, theirs: Routine) -> bool:
        """Whether the parameter's annotations do not contradict each other: ours may be a class that derives
        from theirs."""
        assert self.routine is not None
        mine, other = annotation(self.routine, name), annotation(theirs, name)
        if mine is None or other is None or _last(mine) == _last(other):
            return True
        universe = self._world.pair.new
        own = universe.local(self._world.module(self.path), mine.strip("'\""))
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
        if self.routine is not None and (self._binds(name) or name in parameters(self.routine)):
            return False
        universe = self._world.pair.new
        module = self._world.module(self.path)
        mine, theirs = universe.local(module, name), universe.local(function.module, name)
        if mine is None and theirs is None:
            return hasattr(builtins, name) or self._imported_alike(name, function)
        if mine is None or theirs is None:
            return False
        return (mine.kind, mine.name) == (theirs.kind, theirs.name)

    def _imported_alike(self, name: str, function: UpstreamFunction) -> bool:
        """Whether both modules import the name, which is nobody's here, in one and the same way."""
        universe = self._world.pair.new
        tables = [universe.table(m) for m in (self._world.module(self.path), function.module)]
        found = [
            {(i.module, i.name, i.level, i.scope) for i in table.imports if i.local == name}
            for table in tables
            if table is not None
        ]
        return len(found) == 2 and len(found[0]) == 1 and found[0] == found[1]


def _calls(routine: Routine, called: Collection[str], signature: Signature) -> list[dict[str, ast.expr]]:
    """The arguments of all calls by these names in a function, equal ones once; none where one is hidden."""
    found: dict[str, dict[str, ast.expr]] = {}
    for node in ast.walk(routine):
        if isinstance(node, ast.Call) and callee(node) in called:
            bound = arguments(node, signature)
            if bound is None:
                return []
            written_out = {name: ast.unparse(value) for name, value in bound.items()}
            found.setdefault(repr(sorted(written_out.items())), bound)
    return list(found.values())


def arguments(call: ast.Call, signature: Signature) -> dict[str, ast.expr] | None:
    """Parameter → argument of a call, None where stars hide it or it does not bind."""
    return None if hides(call) else shown_arguments(call, signature)


def shown_arguments(call: ast.Call, signature: Signature) -> dict[str, ast.expr] | None:
    """Parameter → argument of a call without what stars hold, None where it does not bind."""
    positional = signature.positional
    placed = list(itertools.takewhile(lambda a: not isinstance(a, ast.Starred), call.args))
    if len(placed) > len(positional):
        return None
    bound = {parameter.name: value for parameter, value in zip(positional, placed, strict=False)}
    for keyword in call.keywords:
        if keyword.arg in bound or (keyword.arg is not None and keyword.arg not in signature.names):
            return None
        if keyword.arg is not None:
            bound[keyword.arg] = keyword.value
    return bound


def hides(call: ast.Call) -> bool:
    """Whether stars hide which arguments a call passes."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)


def written(call: ast.Call, old: Signature, new: Signature, values: dict[str, str]) -> str | None:
    """The call with these values: those that stood by place stay there while their places allow it, and so do
    stars. None where their places mean something else now."""
    rest = dict(values)
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    words = _starred(call, old, new, rest) if starred else _placed(call, old, new, rest)
    if words is None or any(p.kind == "pos" and p.name in rest for p in new.parameters):
        return None
    order = [k.arg for k in call.keywords if k.arg in rest]
    order += [p.name for p in new.parameters if p.name in rest and p.name not in order]
    words += [f"{name}={rest[name]}" for name in order]
    words += [f"**{ast.unparse(k.value)}" for k in call.keywords if k.arg is None]
    return ast.unparse(ast.parse(f"{ast.unparse(call.func)}({', '.join(words)})", mode="eval"))


def _placed(call: ast.Call, old: Signature, new: Signature, rest: dict[str, str]) -> list[str]:
    """The values that are passed by place, taken out of the rest."""
    by_place = {p.name for p in old.positional[: len(call.args)]}
    words: list[str] = []
    for parameter in new.positional:
        if parameter.name not in rest:
            break
        stays = parameter.name in by_place or parameter.name not in [k.arg for k in call.keywords]
        keyword_only_style = not by_place and call.keywords
        if parameter.kind != "pos" and (not stays or keyword_only_style or not by_place & rest.keys()):
            break
        words.append(rest.pop(parameter.name))
    return words


def _starred(call: ast.Call, old: Signature, new: Signature, rest: dict[str, str]) -> list[str] | None:
    """What is passed by place as it is, taken out of the rest; None where a star fills other places now."""
    named = {keyword.arg for keyword in call.keywords}
    places = [p.name for p in old.positional if p.name not in named]
    if places != [p.name for p in new.positional][: len(places)]:
        return None
    for name in places:
        rest.pop(name, None)
    return [ast.unparse(argument) for argument in call.args]


def _types(annotation: str | None) -> set[str]:
    """The names in an annotation, ``None`` and ``Optional`` left out."""
    return set(re.findall(r"\w+", annotation or "")) - {"None", "Optional", "typing"}


def _last(annotation: str) -> str:
    return annotation.strip("'\"").rpartition(".")[2]
