"""The names inside a function of the backend, and what is known of each."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted, is_none, named_arguments
from syncbot.api.local_classes import table_name
from syncbot.api.statement_parts import bound_names
from syncbot.api.symbols import Symbol
from syncbot.contracts.context import Context
from syncbot.contracts.inference.adopted_functions import Adoption, returned_function
from syncbot.contracts.inference.calls_in_module import OwnCall, bare_parameters, passed
from syncbot.contracts.inference.containers import MOST_ELEMENTS
from syncbot.contracts.inference.declared_types import Declared, each, entered, several_of, unpacked
from syncbot.contracts.inference.narrowing import Asserted, asserted, asserted_in_places
from syncbot.contracts.inference.parameter_types import (
    Placed,
    inherited_types,
    may_implement,
    may_leave_open,
    overridden,
    says_nothing,
)
from syncbot.contracts.inference.placed_functions import NOWHERE, Placing, placing, result_of
from syncbot.contracts.inference.values import Scope, Value
from syncbot.contracts.overrides.dispatchers import dispatched, followed, takes_whatever


def function_scope(node: FunctionNode, context: Context) -> Scope:
    """The names inside a function of the backend."""
    arguments = arguments_of(node.args)
    tells = b"assert " in context.file.text or b"not " in context.file.text
    places = asserted_in_places(node) if tells else {}
    bound = _Bound(
        annotations={a.arg: _annotation(a, node.args) for a in arguments if a.annotation},
        opaque={a.arg for a in arguments},
        asserted=places,
    )
    for inner in _own_nodes(node, b":=" in context.file.text):
        bound.add(inner, context)
    method = isinstance(context.parent, ast.ClassDef)
    receiver = _receiver(node, context, method)
    return Scope(
        context.file.module,
        context.scope,
        class_=receiver.class_,
        receiver=receiver.name,
        receiver_is_class=receiver.is_class,
        annotations=bound.annotations,
        inherited=_inherited(node, context, method) or _handed(node, context),
        values=bound.values,
        narrowed=bound.narrowed,
        asserted=bound.asserted,
        imports=bound.imports,
        opaque=frozenset(bound.opaque),
    )


@dataclass(frozen=True, slots=True)
class _Receiver:
    """The first parameter of a method, None where it has none, and the class of what it is handed."""

    name: str | None
    class_: Symbol | None
    is_class: bool


def _receiver(node: FunctionNode, context: Context, method: bool) -> _Receiver:
    """Return what a function is called on: a ``method`` of its class, another one where it is put into
    one."""
    decorators = {(dotted(d) or "").rpartition(".")[2] for d in node.decorator_list}
    first = next(iter((*node.args.posonlyargs, *node.args.args)), None)
    receives = method and first is not None and "staticmethod" not in decorators
    class_ = context.class_named(context.qualname[:-1]) if method else None
    of_class = "classmethod" in decorators
    if first is not None and not method and says_nothing(first.annotation):
        class_, adopted_by_class = _adopting_class(node, context)
        class_ = class_ or _placing(node, context).class_
        of_class = of_class or adopted_by_class
        receives = class_ is not None and "staticmethod" not in decorators
    return _Receiver(first.arg if first is not None and receives else None, class_, of_class)


def _annotation(parameter: ast.arg, arguments: ast.arguments) -> str:
    """The type that a parameter has in the function."""
    written = ast.unparse(parameter.annotation) if parameter.annotation is not None else ""
    if parameter is arguments.vararg:
        return f"tuple[{written}, ...]"
    return f"dict[str, {written}]" if parameter is arguments.kwarg else written


def _adopting_class(node: FunctionNode, context: Context) -> tuple[Symbol | None, bool]:
    """The one upstream class that a function is put into, and whether it is a class method there."""
    found: dict[tuple[str, bool], Symbol] = {}
    for adoption, target in _targets(node, context):
        if target is None or target.instance is not adoption.of_object or target.symbol.kind != "class":
            if adoption.handed:
                continue
            return None, False
        if adoption.handed and context.universe.member(target.symbol, adoption.name) is None:
            continue
        found[target.symbol.name, adoption.of_class] = target.symbol
    if len(found) != 1:
        return None, False
    ((_, of_class), class_) = next(iter(found.items()))
    return (class_, of_class) if context.is_upstream(class_.module) else (None, False)


def _targets(node: FunctionNode, context: Context) -> Iterator[tuple[Adoption, Value | None]]:
    """Where the statements of its own module put a function, each with what the owner is."""
    for adoption in context.adopted.get(node, ()):
        scope = Scope(context.file.module)
        if adoption.around is not None:
            around = (adoption.around.name,)
            outside = replace(context, scope=scope, adopted={}, qualname=around, parents=[])
            scope = function_scope(adoption.around, outside)
        yield adoption, context.inference.infer(adoption.target, scope)


def _replaced_here(node: FunctionNode, context: Context) -> Placed | None:
    """The one function of upstream's in whose place the statements of its own module put a function."""
    targets = list(_targets(node, context))
    places = [(t.symbol.name, a.name) for a, t in targets if t is not None]
    if len(places) < len(targets) or not all(context.is_upstream(owner) for owner, _ in places):
        return None
    return placing(places, context.universe).replaced


def _placing(node: FunctionNode, context: Context) -> Placing:
    """Where another module of the backend puts a function of this one, or what such a function returns."""
    name = ".".join((context.file.module, *context.qualname))
    if context.qualname == (node.name,):
        return context.placed.get(name, NOWHERE)
    found, maker = context.placed.get(result_of(name.rpartition(".")[0])), context.function
    returned = returned_function(maker) if found is not None and maker is not None else None
    return found if found is not None and returned is node else NOWHERE


def _model(node: FunctionNode, context: Context, method: bool) -> Placed | None:
    """Return what a function overrides, or the hook that it implements, where that may tell more of
    parameters."""
    if not may_leave_open(node):
        return None
    own = context.class_named(context.qualname[:-1]) if method else None
    found = overridden(node.name, own, context.universe, context.is_upstream)
    if own is not None and found is not None and takes_whatever(found[1]):
        found = _chosen_beside(node.name, own, context) or found
    found = found or _placing(node, context).replaced or _replaced_here(node, context)
    if found is None and may_implement(node, context.qualname == (node.name,)):
        found = context.inference.hook(node.name, context.upstream)
    return found


def _chosen_beside(name: str, own: Symbol, context: Context) -> Placed | None:
    """The method of upstream that tells how one is called which says nothing itself: one of its classes
    chooses between the two."""
    above = context.universe.lineage(own).classes[1:]
    for choices in dispatched(own, context.universe, context.is_upstream):
        beside = followed(above, name, choices, context.universe) if name in choices else None
        if beside is not None:
            return overridden(beside, own, context.universe, context.is_upstream)
    return None


def _inherited(node: FunctionNode, context: Context, method: bool) -> Mapping[str, Declared]:
    """The types of parameters that the function itself does not tell, by what it overrides or implements."""
    return inherited_types(node, _model(node, context, method), context.file.module, context.universe)


def _handed(node: FunctionNode, context: Context) -> Mapping[str, Declared]:
    """The types of parameters without an annotation, by what the calls in the backend hand to them, where
    that is known."""
    calls = context.calls.get(".".join(context.qualname), ())
    bare = bare_parameters(node) if calls else []
    static = any(dotted(d) == "staticmethod" for d in node.decorator_list)
    found: dict[str, list[Declared | None]] = {}
    # A caller may call often: it is looked through once.
    scopes: dict[FunctionNode | ast.ClassDef, Scope] = {}
    for one in calls:
        handed = passed(one.call, node.args, bound=len(context.qualname) > 1 and not static)
        wanted = {name: value for name, value in handed.items() if name in bare and not is_none(value)}
        caller = one.around[-1]
        if wanted and caller not in scopes:
            scopes[caller] = _scope_around(one, context)
        for name, value in wanted.items():
            told = context.inference.type_of(value, scopes[caller])
            # What is not known of a call elsewhere speaks against no other one.
            if told is not None or one.file is None:
                found.setdefault(name, []).append(told)
    agreed = {name: types[0] for name, types in found.items() if several_of(types) is not None}
    return {name: told for name, told in agreed.items() if told is not None}


def _scope_around(one: OwnCall, context: Context) -> Scope:
    """The names in the function around a call, without what its own callers say."""
    file = one.file or context.file
    adopted = context.adopted if one.file is None else {}
    scope, names, parents = Scope(file.module), list[str](), list[ast.AST]()
    for node in one.around:
        names.append(node.name)
        if isinstance(node, FunctionNode):
            outside = replace(
                context,
                file=file,
                scope=scope,
                calls={},
                adopted=adopted,
                qualname=tuple(names),
                parents=parents,
            )
            scope = function_scope(node, outside)
        parents = [*parents, node]
    return scope


@dataclass(slots=True)
class _Bound:
    """The values of the names that a function binds; the ``opaque`` ones have no known value."""

    annotations: dict[str, str]
    opaque: set[str]
    asserted: Mapping[str, Sequence[Asserted]]
    values: dict[str, list[ast.expr]] = field(default_factory=dict)
    narrowed: dict[str, str] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)

    def add(self, node: ast.AST, context: Context) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self.assign(target, value)
            case ast.NamedExpr(target=target, value=value):
                self.assign(target, value)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value])
            ):
                self.append(name, value)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=type_):
                self.annotations.setdefault(name, ast.unparse(type_))
            case ast.Assert(test=test):
                for name, class_ in asserted(test):
                    if name in self.asserted:
                        continue
                    # The call of a function that may tell a class says nothing where it is none that does.
                    told = self.narrowed if "." in name or class_.endswith(")") else self.annotations
                    told.setdefault(name, class_)
            case ast.For(target=target, iter=several) | ast.AsyncFor(target=target, iter=several):
                self.opaque.update(_names(target))
                for name, value in each(target, several):
                    self.values.setdefault(name, []).append(value)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                method = "__enter__" if isinstance(node, ast.With) else "__aenter__"
                for item in items:
                    if isinstance(item.optional_vars, ast.Name):
                        self.opaque.add(item.optional_vars.id)
                        self.assign(item.optional_vars, entered(item.context_expr, method))
            case ast.match_case(pattern=ast.MatchAs(pattern=ast.MatchClass(cls=class_), name=str(name))):
                self.capture(name, class_)
            case _:
                self.define(node, context)

    def define(self, node: ast.AST, context: Context) -> None:
        """Bind what a statement imports or defines."""
        match node:
            case ast.Import() | ast.ImportFrom():
                self.imports.update(bound_names(node, context.file.package))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self.opaque.add(name)
            case ast.ClassDef(name=name):
                self.imports[name] = f"{context.file.module}.{table_name((*context.qualname, name))}"

    def append(self, name: str, value: ast.expr) -> None:
        """Put a value into a list that was begun as an empty one, or with such values."""
        match self.values.get(name):
            case [ast.List(elts=elements)] if len(elements) < MOST_ELEMENTS:
                self.values[name] = [ast.List(elts=[*elements, value])]

    def capture(self, name: str, class_: ast.expr) -> None:
        """Bind a name to what a case of a match statement finds to be of a class; two cases tell nothing."""
        known = name in self.opaque or name in self.values
        self.opaque.add(name)
        self.values[name] = [] if known else [ast.Call(func=class_, args=[], keywords=[])]

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.values.setdefault(target.id, []).append(value)
            return
        self.opaque.update(_names(target))
        for name, part in unpacked(target, value):
            self.values.setdefault(name, []).append(part)


def _names(target: ast.AST) -> Iterator[str]:
    """The names that an assignment binds: that of ``x.y`` and ``x[y]`` is only read."""
    return (n.id for n in every_node(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _own_nodes(node: FunctionNode, walrus: bool) -> Iterator[ast.AST]:
    """The statements of a function itself, not of definitions in it; with ``walrus``, named expressions."""
    stack: list[ast.AST] = list(reversed(node.body))
    while stack:
        inner = stack.pop()
        yield inner
        if isinstance(inner, FunctionNode | ast.ClassDef):
            continue
        for part in ("finalbody", "orelse", "handlers", "cases", "body"):
            stack.extend(reversed(getattr(inner, part, ())))
        if walrus and isinstance(inner, ast.stmt):
            for field in ("test", "value", "iter"):
                expression = getattr(inner, field, None)
                if isinstance(expression, ast.AST):
                    yield from (n for n in every_node(expression) if isinstance(n, ast.NamedExpr))


def arguments_of(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters of a function, ``*`` and ``**`` ones last."""
    found = named_arguments(arguments)
    found.extend(a for a in (arguments.vararg, arguments.kwarg) if a is not None)
    return found
