"""What is known around one node of a backend module: names, guards, the class and function it stands in."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted, named_arguments
from syncbot.api.local_classes import table_name
from syncbot.api.statement_parts import imported
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.configured_facts import NOTHING, Knowledge
from syncbot.contracts.inference.adopted_functions import Adoption
from syncbot.contracts.inference.declared_types import each, entered, unpacked
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.inference.narrowing import Asserted, asserted, asserted_in_places, narrowed
from syncbot.contracts.inference.parameter_types import Placed, inherited_types, may_implement, overridden
from syncbot.contracts.inference.placed_functions import NOWHERE, Placing
from syncbot.contracts.inference.values import Scope, Value
from syncbot.contracts.model import Location, Place
from syncbot.contracts.sources import SourceFile

N = TypeVar("N", bound=ast.AST)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Look:
    """The last look that several finders take, with where it was taken."""

    node: ast.AST
    look: object
    scope: Scope
    guards: tuple[str, ...]
    found: tuple[object, ...]

    def stands_in(self, context: Context) -> bool:
        return self.scope is context.scope and self.guards == context.guards


@dataclass
class Context:
    """What a finder may ask: where it stands, what names mean here, which tree is the old upstream."""

    file: SourceFile
    universe: Universe
    upstream: tuple[str, ...]
    inference: Inference
    scope: Scope
    knowledge: Knowledge = NOTHING
    adopted: Mapping[FunctionNode, tuple[Adoption, ...]] = field(default_factory=dict)
    placed: Mapping[str, Placing] = field(default_factory=dict)
    qualname: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    # So many of the last guards are conditions in the expression around: no name is given a value since.
    inline: int = 0
    parents: list[ast.AST] = field(default_factory=list)
    _seen: set[object] = field(default_factory=set)
    _looked: _Look | None = None
    _narrowed: dict[tuple[int, tuple[str, ...], int], tuple[Scope, Scope]] = field(default_factory=dict)
    _inferred: dict[tuple[int, int], tuple[Scope, Value | None]] = field(default_factory=dict)

    @property
    def own_names(self) -> frozenset[str]:
        """Names that the backend itself defines."""
        return self.inference.own_names

    def infer(self, node: ast.expr) -> Value | None:
        """What an expression is here: asked by many finders, answered once."""
        return self._inferred_in(self._narrowed_scope(), node)

    def _inferred_in(self, scope: Scope, node: ast.expr) -> Value | None:
        key = (id(node), id(scope))
        known = self._inferred.get(key)
        if known is None:
            # What is left of the dot is asked for as well, and answered once too.
            value = (
                self.inference.infer(node, scope)
                if not isinstance(node, ast.Attribute)
                else self.inference.attribute_in(node, scope, lambda: self._inferred_in(scope, node.value))
            )
            # The scope is kept with its answer: no other one can have its identity meanwhile.
            known = self._inferred[key] = (scope, value)
        return known[1]

    def alternatives(self, node: ast.expr) -> tuple[Symbol, ...]:
        """The classes of a union that an expression is declared with here."""
        return self.inference.alternatives(node, self._narrowed_scope())

    def _narrowed_scope(self) -> Scope:
        """The names here, with what the conditions around say of them."""
        if not self.guards:
            return self.scope
        key = (id(self.scope), self.guards, self.inline)
        known = self._narrowed.get(key)
        if known is None:
            begun = len(self.guards) - self.inline
            above, inline = narrowed(self.guards[:begun]), narrowed(self.guards[begun:])
            told = {n: c for n, c in above.items() if len(self.scope.values.get(n, ())) < 2} | inline
            inner = Scope(self.file.module, self.scope, narrowed=told) if told else self.scope
            known = self._narrowed[key] = (self.scope, inner)
        return known[1]

    def at(self, node: N, look: Callable[[N, Context], Iterable[T]]) -> tuple[T, ...]:
        """What a look at a node gives here: several finders ask for it, one after the other."""
        last = self._looked
        if last is None or last.node is not node or last.look is not look or not last.stands_in(self):
            last = self._looked = _Look(node, look, self.scope, self.guards, tuple(look(node, self)))
        return cast("tuple[T, ...]", last.found)

    def once(self, key: object) -> bool:
        """Whether a finder asks this of the file for the first time."""
        first = key not in self._seen
        self._seen.add(key)
        return first

    def is_upstream(self, name: str) -> bool:
        """Whether a dotted name belongs to the followed upstream."""
        return self.universe.belongs(name, self.upstream)

    def place(self, node: ast.AST) -> Place:
        """Where a contract found at ``node`` stands."""
        return self.line(getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)

    def line(self, line: int, column: int = 1) -> Place:
        """The place at a line of the module, with what is around the current node."""
        location = Location(self.file.path, line, column)
        return Place(location, self.file.module, ".".join(self.qualname), self.guards)

    @property
    def parent(self) -> ast.AST | None:
        """The node around the one being looked at."""
        return self.parents[-1] if self.parents else None

    @property
    def function(self) -> FunctionNode | None:
        """The innermost function around the node."""
        return next((p for p in reversed(self.parents) if isinstance(p, FunctionNode)), None)

    def own_class(self, *inside: str) -> Symbol | None:
        """The class of the module in whose body the node stands, or that one ``inside`` of what is around."""
        if not inside and not isinstance(self.parent, ast.ClassDef):
            return None
        return self.class_named((*self.qualname, *inside))

    def class_named(self, qualname: Sequence[str]) -> Symbol | None:
        """The class of that qualified name defined in this module, by a function of it too."""
        for name in (".".join(qualname), table_name(qualname)):
            found = self.universe.local(self.file.module, name)
            if found is not None and found.kind == "class":
                return found
        return None


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
    decorators = {(dotted(d) or "").rpartition(".")[2] for d in node.decorator_list}
    method = isinstance(context.parent, ast.ClassDef)
    first = next(iter((*node.args.posonlyargs, *node.args.args)), None)
    receives = method and first is not None and "staticmethod" not in decorators
    class_ = context.class_named(context.qualname[:-1]) if method else None
    of_class = "classmethod" in decorators
    if first is not None and not method and first.annotation is None:
        class_, adopted_by_class = _adopting_class(node, context)
        class_ = class_ or _placing(node, context).class_
        of_class = of_class or adopted_by_class
        receives = class_ is not None and "staticmethod" not in decorators
    return Scope(
        context.file.module,
        context.scope,
        class_=class_,
        receiver=first.arg if first is not None and receives else None,
        receiver_is_class=of_class,
        annotations=bound.annotations,
        inherited=inherited_types(node, _model(node, context, method)),
        values=bound.values,
        narrowed=bound.narrowed,
        asserted=bound.asserted,
        imports=bound.imports,
        opaque=frozenset(bound.opaque),
    )


def _annotation(parameter: ast.arg, arguments: ast.arguments) -> str:
    """The type that a parameter has in the function."""
    written = ast.unparse(parameter.annotation) if parameter.annotation is not None else ""
    if parameter is arguments.vararg:
        return f"tuple[{written}, ...]"
    return f"dict[str, {written}]" if parameter is arguments.kwarg else written


def _adopting_class(node: FunctionNode, context: Context) -> tuple[Symbol | None, bool]:
    """The one upstream class that a function is put into, and whether it is a class method there."""
    found: dict[tuple[str, bool], Symbol] = {}
    adoptions = context.adopted.get(node, ())
    for adoption in adoptions:
        scope = Scope(context.file.module)
        if adoption.around is not None:
            around = (adoption.around.name,)
            outside = replace(context, scope=scope, adopted={}, qualname=around, parents=[])
            scope = function_scope(adoption.around, outside)
        target = context.inference.infer(adoption.target, scope)
        if target is None or target.instance or target.symbol.kind != "class":
            return None, False
        found[target.symbol.name, adoption.of_class] = target.symbol
    if len(found) != 1:
        return None, False
    ((_, of_class), class_) = next(iter(found.items()))
    return (class_, of_class) if context.is_upstream(class_.module) else (None, False)


def _placing(node: FunctionNode, context: Context) -> Placing:
    """Where another module of the backend puts a function of this one."""
    if context.qualname != (node.name,):
        return NOWHERE
    return context.placed.get(f"{context.file.module}.{node.name}", NOWHERE)


def _model(node: FunctionNode, context: Context, method: bool) -> Placed | None:
    """What a function overrides, or the hook that it implements, where parameters have no annotation."""
    if all(a.annotation is not None for a in named_arguments(node.args)):
        return None
    own = context.class_named(context.qualname[:-1]) if method else None
    found = overridden(node.name, own, context.universe, context.is_upstream)
    found = found or _placing(node, context).replaced
    if found is None and may_implement(node, context.qualname == (node.name,)):
        found = context.inference.hook(node.name, context.upstream)
    return found


@dataclass(slots=True)
class _Bound:
    """What is known of the names that a function binds; of the ``opaque`` ones nothing is."""

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
            case ast.Import() | ast.ImportFrom():
                self.imports.update(_imports(node, context))
            case ast.ClassDef(name=name):
                self.imports[name] = f"{context.file.module}.{table_name((*context.qualname, name))}"

    def append(self, name: str, value: ast.expr) -> None:
        """Put a value into a list that was begun as an empty one, or with such values."""
        match self.values.get(name):
            case [ast.List(elts=elements)]:
                self.values[name] = [ast.List(elts=[*elements, value])]

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


def _imports(node: ast.Import | ast.ImportFrom, context: Context) -> Iterator[tuple[str, str]]:
    """The local names that an import inside a function binds, each with the dotted name behind it."""
    tree = context.universe.tree_of(context.file.module)
    for bound in imported(node, ""):
        base = tree.absolute(context.file.module, bound.level, bound.module) if tree else ""
        head = bound.module.partition(".")[0]
        whole = head if bound.local == head else bound.module
        yield bound.local, whole if bound.name is None else f"{base}.{bound.name}"


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
