"""The walk through one backend module: every node is shown to its finders with what is known around it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from syncbot.api.every_node import children, every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.statement_parts import branches
from syncbot.contracts.conditions.guards import is_postponed
from syncbot.contracts.context import Context
from syncbot.contracts.function_scopes import arguments_of, function_scope
from syncbot.contracts.inference.declared_types import each
from syncbot.contracts.inference.lambda_parameters import handed_to_lambda
from syncbot.contracts.inference.values import Scope
from syncbot.contracts.model import Contract
from syncbot.contracts.registry import Finder, check_of

_Guarded = tuple[ast.AST, tuple[str, ...]]
# Nothing stands below these.
_LEAVES = {ast.Constant, ast.Name, ast.alias, ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal}
# What is around an annotation that Python does not evaluate: type checkers alone read it (PEP 526, PEP 563).
_UNEVALUATED = ("if TYPE_CHECKING",)
_PARTS = (ast.ExceptHandler, ast.match_case, ast.arguments, ast.arg)


def walk(
    tree: ast.Module, context: Context, finders: Mapping[type[ast.AST], Sequence[Finder]]
) -> list[Contract]:
    """All contracts that the finders see in a module."""
    walker = _Walker(context, finders, postponed=is_postponed(tree))
    for node in tree.body:
        walker.visit(node)
    return walker.found


class _Walker:
    """Visits nodes in the order of the source; the context follows it."""

    def __init__(
        self, context: Context, finders: Mapping[type[ast.AST], Sequence[Finder]], postponed: bool
    ) -> None:
        self.context = context
        self.found: list[Contract] = []
        self._finders = finders
        self._postponed = postponed
        # Names are most of a tree, and nothing stands below one.
        self._skipped = () if ast.Name in finders else (ast.Name,)

    def visit(self, node: ast.AST) -> None:
        """Show a node and all below it to the finders."""
        kind = type(node)
        finders = self._finders.get(kind)
        if finders is not None:
            found, context = self.found, self.context
            for finder in finders:
                for contract in finder(node, context):
                    found.append(replace(contract, check=check_of(finder)))
        special = _SPECIAL.get(kind)
        if special is not None:
            special(self, node)
            return
        if kind in _LEAVES:
            return
        parents = self.context.parents
        parents.append(node)
        for child in children(node):
            if type(child) not in self._skipped:
                self.visit(child)
        parents.pop()

    def _children(self, node: ast.AST, children: Iterable[ast.AST]) -> None:
        self.context.parents.append(node)
        for child in children:
            self.visit(child)
        self.context.parents.pop()

    def _guarded(self, node: ast.AST, parts: Iterable[_Guarded]) -> None:
        context = self.context
        outer, inline = context.guards, context.inline
        context.parents.append(node)
        for child, guard in parts:
            context.guards = outer + guard
            context.inline = inline + len(guard) if isinstance(node, ast.expr) else 0
            self.visit(child)
        context.parents.pop()
        context.guards, context.inline = outer, inline

    def _branches(self, node: ast.If | ast.Try | ast.TryStar | ast.Match) -> None:
        parts: list[_Guarded] = []
        if isinstance(node, ast.If):
            parts.append((node.test, ()))
        if isinstance(node, ast.Match):
            parts.append((node.subject, ()))
            parts.extend((part, ()) for c in node.cases for part in (c, c.pattern, c.guard) if part)
        if isinstance(node, ast.Try | ast.TryStar):
            parts.extend((part, ()) for h in node.handlers for part in (h, h.type) if part)
        for body, guard in branches(node):
            parts.extend((statement, guard) for statement in body)
        self._guarded(node, parts)

    def _with(self, node: ast.With) -> None:
        guards = tuple(f"try {caught}" for item in node.items if (caught := _suppressed(item.context_expr)))
        items: list[_Guarded] = [(item, ()) for item in node.items]
        self._guarded(node, [*items, *((statement, guards) for statement in node.body)])

    def _conditional(self, node: ast.IfExp) -> None:
        guards: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        if _tests_presence(node.test):
            test = ast.unparse(node.test)
            guards = ((f"if {test}",), (f"else {test}",))
        self._guarded(node, [(node.test, ()), (node.body, guards[0]), (node.orelse, guards[1])])

    def _both(self, node: ast.BoolOp) -> None:
        tests: list[str] = []
        parts: list[_Guarded] = []
        for value in node.values:
            parts.append((value, tuple(tests)))
            if _tests_presence(value):
                # Only what a negation denies can be told of what follows an ``or``.
                if isinstance(node.op, ast.And):
                    tests.append(f"if {ast.unparse(value)}")
                elif isinstance(value, ast.UnaryOp):
                    tests.append(f"else {ast.unparse(value)}")
        self._guarded(node, parts)

    def _class(self, node: ast.ClassDef) -> None:
        context = self.context
        self._children(node, [*node.decorator_list, *node.bases, *node.keywords])
        outer = context.qualname
        context.qualname = (*outer, node.name)
        self._children(node, node.body)
        context.qualname = outer

    def _function(self, node: FunctionNode) -> None:
        context = self.context
        self._children(node, [node.args, *_defaults(node.args), *node.decorator_list])
        outer_scope, outer_name = context.scope, context.qualname
        context.qualname = (*outer_name, node.name)
        context.scope = function_scope(node, context)
        arguments = arguments_of(node.args)
        annotations = [a.annotation for a in arguments if a.annotation] + [r for r in (node.returns,) if r]
        self._children(node, arguments)
        self._guarded(node, [(a, _UNEVALUATED if self._postponed else ()) for a in annotations])
        self._children(node, node.body)
        context.scope, context.qualname = outer_scope, outer_name

    def _annotated(self, node: ast.AnnAssign) -> None:
        around = next(
            (p for p in reversed(self.context.parents) if isinstance(p, FunctionNode | ast.ClassDef)), None
        )
        local = node.simple and isinstance(around, FunctionNode)
        aside = _UNEVALUATED if self._postponed or local else ()
        value = [node.value] if node.value is not None else []
        self._guarded(node, [(node.target, ()), (node.annotation, aside), *((part, ()) for part in value)])

    def _lambda(self, node: ast.Lambda) -> None:
        context = self.context
        self._children(node, [node.args, *_defaults(node.args)])
        outer = context.scope
        parameters = arguments_of(node.args)
        names = frozenset(a.arg for a in parameters)
        handed = handed_to_lambda(node, context.parents)
        context.scope = Scope(context.file.module, outer, values=handed, opaque=names)
        self._children(node, [*parameters, node.body])
        context.scope = outer

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        context = self.context
        outer = context.scope
        bound = (n.id for g in node.generators for n in every_node(g.target) if isinstance(n, ast.Name))
        values: dict[str, list[ast.expr]] = {}
        for generator in node.generators:
            for name, value in each(generator.target, generator.iter):
                values.setdefault(name, []).append(value)
        context.scope = Scope(context.file.module, outer, values=values, opaque=frozenset(bound))
        tests = (test for g in node.generators for test in g.ifs if _tests_presence(test))
        guards = tuple(f"if {ast.unparse(test)}" for test in tests)
        parts = children(node)
        self._guarded(node, [(p, () if isinstance(p, ast.comprehension) else guards) for p in parts])
        context.scope = outer


def _nothing(_: _Walker, node: ast.AST) -> None:
    """Leave its parts to the statement or lambda that it is of."""


# Of the class, not of each walker: one that held its own methods would hold itself, and the file's whole tree
# with it, since Python's cycle collector rests meanwhile.
_SPECIAL: Mapping[type[ast.AST], Callable[[_Walker, Any], None]] = {
    ast.FunctionDef: _Walker._function,
    ast.AsyncFunctionDef: _Walker._function,
    ast.Lambda: _Walker._lambda,
    ast.ClassDef: _Walker._class,
    ast.If: _Walker._branches,
    ast.Try: _Walker._branches,
    ast.TryStar: _Walker._branches,
    ast.Match: _Walker._branches,
    ast.AnnAssign: _Walker._annotated,
    ast.With: _Walker._with,
    ast.IfExp: _Walker._conditional,
    ast.BoolOp: _Walker._both,
    ast.ListComp: _Walker._comprehension,
    ast.SetComp: _Walker._comprehension,
    ast.DictComp: _Walker._comprehension,
    ast.GeneratorExp: _Walker._comprehension,
    **dict.fromkeys(_PARTS, _nothing),
}


def _defaults(arguments: ast.arguments) -> list[ast.AST]:
    return [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]


def _suppressed(manager: ast.expr) -> str:
    """The exceptions that a ``contextlib.suppress`` catches, empty for other context managers."""
    if isinstance(manager, ast.Call) and (dotted(manager.func) or "").rpartition(".")[2] == "suppress":
        return ",".join(map(ast.unparse, manager.args))
    return ""


def _tests_presence(node: ast.AST) -> bool:
    """Whether a condition asks for what is there, or for a version."""
    names = (n.id for n in every_node(node) if isinstance(n, ast.Name))
    return any(name in ("hasattr", "getattr", "isinstance") or "version" in name.lower() for name in names)
