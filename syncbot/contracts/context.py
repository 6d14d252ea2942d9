"""The walk through one backend module: every node is shown to its finders with what is known around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from syncbot.api.extract import branches, dotted, imported
from syncbot.api.universe import Symbol, Universe
from syncbot.contracts.inference import Inference, Scope, Value
from syncbot.contracts.knowledge import NOTHING, Knowledge
from syncbot.contracts.model import Contract, Location, Place
from syncbot.contracts.registry import Finder
from syncbot.contracts.sources import SourceFile

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Context:
    """What a finder may ask: where it stands, what names mean here, which tree is the old upstream."""

    file: SourceFile
    universe: Universe
    upstream: tuple[str, ...]
    inference: Inference
    scope: Scope
    knowledge: Knowledge = NOTHING
    qualname: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    parents: list[ast.AST] = field(default_factory=list)

    @property
    def own_names(self) -> frozenset[str]:
        """Names that the backend itself defines."""
        return self.inference.own_names

    def infer(self, node: ast.expr) -> Value | None:
        """What an expression is here."""
        return self.inference.infer(node, self.scope)

    def is_upstream(self, name: str) -> bool:
        """Whether a dotted name belongs to the followed upstream."""
        return name.partition(".")[0] in self.upstream

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

    def own_class(self, name: str) -> Symbol | None:
        """The class of that qualified name defined in this module."""
        found = self.universe.local(self.file.module, name)
        return found if found is not None and found.kind == "class" else None


def walk(
    tree: ast.Module, context: Context, finders: Mapping[type[ast.AST], Sequence[Finder]]
) -> Iterator[Contract]:
    """All contracts that the finders see in a module."""
    for node in tree.body:
        yield from _visit(node, context, finders)


def _visit(
    node: ast.AST, context: Context, finders: Mapping[type[ast.AST], Sequence[Finder]]
) -> Iterator[Contract]:
    for finder in finders.get(type(node), ()):
        yield from finder(node, context)
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            yield from _visit_function(node, context, finders)
        case ast.ClassDef():
            yield from _visit_class(node, context, finders)
        case ast.If() | ast.Try() | ast.TryStar() | ast.Match():
            yield from _visit_branches(node, context, finders)
        case ast.IfExp():
            yield from _visit_guarded(node, [(node.test, ()), *_conditional(node)], context, finders)
        case ast.BoolOp(op=ast.And()):
            tests = [ast.unparse(v) if _tests_presence(v) else "" for v in node.values]
            parts = [(value, tuple(f"if {t}" for t in tests[:i] if t)) for i, value in enumerate(node.values)]
            yield from _visit_guarded(node, parts, context, finders)
        case _:
            yield from _visit_children(node, ast.iter_child_nodes(node), context, finders)


def _conditional(node: ast.IfExp) -> list[tuple[ast.AST, tuple[str, ...]]]:
    if not _tests_presence(node.test):
        return [(node.body, ()), (node.orelse, ())]
    test = ast.unparse(node.test)
    return [(node.body, (f"if {test}",)), (node.orelse, (f"else {test}",))]


def _tests_presence(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Name) and n.id in ("hasattr", "getattr") for n in ast.walk(node))


def _visit_children(
    node: ast.AST,
    children: Iterator[ast.AST],
    context: Context,
    finders: Mapping[type[ast.AST], Sequence[Finder]],
) -> Iterator[Contract]:
    context.parents.append(node)
    for child in children:
        yield from _visit(child, context, finders)
    context.parents.pop()


def _visit_guarded(
    node: ast.AST,
    parts: Sequence[tuple[ast.AST, tuple[str, ...]]],
    context: Context,
    finders: Mapping[type[ast.AST], Sequence[Finder]],
) -> Iterator[Contract]:
    outer = context.guards
    for child, guard in parts:
        context.guards = outer + guard
        yield from _visit_children(node, iter([child]), context, finders)
    context.guards = outer


def _visit_branches(
    node: ast.If | ast.Try | ast.TryStar | ast.Match,
    context: Context,
    finders: Mapping[type[ast.AST], Sequence[Finder]],
) -> Iterator[Contract]:
    parts: list[tuple[ast.AST, tuple[str, ...]]] = []
    if isinstance(node, ast.If):
        parts.append((node.test, ()))
    if isinstance(node, ast.Match):
        parts.append((node.subject, ()))
    for body, guard in branches(node):
        parts.extend((statement, guard) for statement in body)
    yield from _visit_guarded(node, parts, context, finders)


def _visit_class(
    node: ast.ClassDef, context: Context, finders: Mapping[type[ast.AST], Sequence[Finder]]
) -> Iterator[Contract]:
    yield from _visit_children(
        node, iter([*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]), context, finders
    )
    outer = context.qualname
    context.qualname = (*outer, node.name)
    yield from _visit_children(node, iter(node.body), context, finders)
    context.qualname = outer


def _visit_function(
    node: FunctionNode | ast.Lambda, context: Context, finders: Mapping[type[ast.AST], Sequence[Finder]]
) -> Iterator[Contract]:
    arguments = node.args
    outside: list[ast.AST] = [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
    if not isinstance(node, ast.Lambda):
        outside.extend(node.decorator_list)
    yield from _visit_children(node, iter(outside), context, finders)
    outer_scope, outer_name = context.scope, context.qualname
    if isinstance(node, ast.Lambda):
        names = frozenset(a.arg for a in _arguments(arguments))
        context.scope = Scope(context.file.module, outer_scope, opaque=names)
        yield from _visit_children(node, iter([node.body]), context, finders)
    else:
        context.qualname = (*outer_name, node.name)
        context.scope = function_scope(node, context)
        annotations = [a.annotation for a in _arguments(arguments) if a.annotation]
        yield from _visit_children(
            node,
            iter([*annotations, *([node.returns] if node.returns else []), *node.body]),
            context,
            finders,
        )
    context.scope, context.qualname = outer_scope, outer_name


def function_scope(node: FunctionNode, context: Context) -> Scope:
    """The names inside a function of the backend."""
    class_: Symbol | None = None
    receiver: str | None = None
    arguments = _arguments(node.args)
    decorators = {(dotted(d) or "").rpartition(".")[2] for d in node.decorator_list}
    if context.parents and isinstance(context.parents[-1], ast.ClassDef):
        class_ = context.own_class(".".join(context.qualname[:-1]))
        if arguments and "staticmethod" not in decorators:
            receiver = arguments[0].arg
    values: dict[str, list[ast.expr]] = {}
    annotations = {a.arg: ast.unparse(a.annotation) for a in arguments if a.annotation}
    imports: dict[str, str] = {}
    opaque = {a.arg for a in arguments}
    tree = context.universe.tree_of(context.file.module)
    for inner in _own_nodes(node):
        match inner:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        values.setdefault(target.id, []).append(value)
                    else:
                        opaque.update(n.id for n in ast.walk(target) if isinstance(n, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                annotations.setdefault(name, ast.unparse(annotation))
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                values.setdefault(name, []).append(value)
            case ast.Assert(
                test=ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), type_])
            ) if dotted(type_):
                annotations.setdefault(name, ast.unparse(type_))
            case ast.For(target=target) | ast.AsyncFor(target=target) | ast.comprehension(target=target):
                opaque.update(n.id for n in ast.walk(target) if isinstance(n, ast.Name))
            case ast.With(items=items) | ast.AsyncWith(items=items):
                for item in items:
                    if isinstance(item.optional_vars, ast.Name):
                        opaque.add(item.optional_vars.id)
            case ast.Import() | ast.ImportFrom():
                for bound in imported(inner, ""):
                    base = tree.absolute(context.file.module, bound.level, bound.module) if tree else ""
                    if bound.name is not None:
                        imports[bound.local] = f"{base}.{bound.name}"
                    else:
                        head = bound.module.partition(".")[0]
                        imports[bound.local] = head if bound.local == head else bound.module
    return Scope(
        context.file.module,
        context.scope,
        class_=class_,
        receiver=receiver,
        receiver_is_class="classmethod" in decorators,
        annotations=annotations,
        values=values,
        imports=imports,
        opaque=frozenset(opaque),
    )


def _own_nodes(node: FunctionNode) -> Iterator[ast.AST]:
    stack: list[ast.AST] = list(reversed(node.body))
    while stack:
        inner = stack.pop()
        yield inner
        if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            stack.extend(reversed(list(ast.iter_child_nodes(inner))))


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    found.extend(a for a in (arguments.vararg, arguments.kwarg) if a is not None)
    return found
