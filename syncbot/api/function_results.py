"""Facts about the result of a function that its own body shows."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from typing import Any

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted


class BodyFacts:
    """The facts that one function body shows about its result; ``taken`` are the names of its parameters."""

    def __init__(self, body: Sequence[ast.stmt] = (), taken: Collection[str] = ()) -> None:
        self.body, self.taken = body, taken
        self.generator = False
        self.values: list[ast.expr | None] = []
        self.yielded: list[ast.expr | None] = []
        self.bound: dict[str, list[ast.expr | None]] = {}

    def bind(self, target: ast.expr, value: ast.expr | None) -> None:
        """Keep what a name is given, None where it is a part of something."""
        if isinstance(target, ast.Name):
            self.bound.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self.bind(part, None)

    @property
    def returned(self) -> set[str]:
        """The shapes of all return statements, as :class:`Function` documents them."""
        return {returned_shape(self._given(value)) for value in self.values}

    def _given(self, value: ast.expr | None) -> ast.expr | None:
        """The tuple that a name is bound to, if to nothing else; any other value as it is."""
        if not isinstance(value, ast.Name) or value.id in self.taken:
            return value
        match self.bound.get(value.id):
            case [ast.Tuple() as made] if _is_bound_once(value.id, self.body):
                return made
        return value

    @property
    def result(self) -> str:
        """The one expression that all return statements give that give something: a name, an attribute, a
        call of one without its arguments (but for the name of a module), a tuple with such in it; of a
        generator, a list of what it yields; empty for others."""
        given = self.yielded if self.generator else self.values
        told = {self._parts(value) for value in given if not _is_none(value)}
        one = told.pop() if len(told) == 1 else None
        return f"[{one}]" if one and self.generator else one or ""

    def _parts(self, value: ast.expr | None) -> str | None:
        """The same for one value, a tuple too; ``...`` stands for a part that is no such expression."""
        if not isinstance(value, ast.Tuple):
            return self._told(value) if value is not None else None
        parts = [self._told(part) for part in value.elts]
        if not any(parts) or any(isinstance(part, ast.Starred) for part in value.elts):
            return None
        return f"({', '.join(part or '...' for part in parts)},)"

    def _told(self, value: ast.expr) -> str | None:
        if isinstance(value, ast.Name) and value.id in self.bound:
            given = self.bound[value.id]
            told = {None if v is None or isinstance(v, ast.Name) else self._told(v) for v in given}
            return told.pop() if len(told) == 1 else None
        match value:
            # What module that is, its name tells.
            case ast.Call(func=func, args=[ast.Constant(value=str()) | ast.Name()], keywords=[]) if (
                dotted(func) or ""
            ).rpartition(".")[2] == "import_module":
                return ast.unparse(value)
        called = isinstance(value, ast.Call)
        name = dotted(value.func if isinstance(value, ast.Call) else value)
        if name is None or name.partition(".")[0] in self.bound:
            return None
        return f"{name}()" if called else name


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def returned_shape(value: ast.expr | None) -> str:
    """The shape of one return statement's value, as :class:`Function` documents it."""
    if value is None or (isinstance(value, ast.Constant) and value.value is None):
        return "none"
    if isinstance(value, ast.Tuple):
        return "tuple" if any(isinstance(e, ast.Starred) for e in value.elts) else f"tuple[{len(value.elts)}]"
    if isinstance(value, ast.List | ast.ListComp):
        return "list"
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr=name)):
            return f"call super().{name}"
        case ast.Call(func=called):
            return f"call {dotted(called) or '?'}"
    return "value"


def _is_bound_once(name: str, body: Sequence[ast.stmt]) -> bool:
    """Whether a name is bound in one place of a body, inner functions and all."""
    return sum(name in _names_bound(node) for statement in body for node in every_node(statement)) == 1


def _names_bound(node: ast.AST) -> Sequence[str | None]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return (name,)
        case ast.ExceptHandler(name=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name):
            return (name,)
        case ast.MatchMapping(rest=name):
            return (name,)
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
    return ()


def body_facts(body: Sequence[ast.stmt], taken: Collection[str] = ()) -> BodyFacts:
    """The shapes that a function's own return statements have, and whether it yields; ``taken`` are the names
    of its parameters."""
    facts = BodyFacts(body, taken)
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is ast.Return:
            facts.values.append(node.value)  # type: ignore[attr-defined]
        elif kind in _BINDING:
            _bound(node, facts)
        elif kind is ast.Yield or kind is ast.YieldFrom:
            facts.generator = True
            facts.yielded.append(_yielded(node))
        for field in _LEADING.get(kind, ()):
            value = getattr(node, field)
            if type(value) is list:
                stack.extend(value)
            elif type(value) in _LEADING:
                stack.append(value)
    return facts


def _yielded(node: Any) -> ast.expr | None:
    """Return the value of a ``yield``; an ellipsis for ``yield from``, whose values are unknown."""
    return node.value if isinstance(node, ast.Yield) else ast.Constant(value=...)


def _bound(node: Any, facts: BodyFacts) -> None:
    """Keep what a statement or a named expression binds."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                facts.bind(target, value)
        case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            facts.bind(target, value)
        case ast.AugAssign(target=target) | ast.For(target=target) | ast.AsyncFor(target=target):
            facts.bind(target, None)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                if item.optional_vars is not None:
                    facts.bind(item.optional_vars, None)
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            for alias in names:
                facts.bind(ast.Name((alias.asname or alias.name).partition(".")[0]), None)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            facts.bind(ast.Name(name), None)


def _leading() -> dict[type[ast.AST], tuple[str, ...]]:
    """The fields of a node that lead to inner statements or a ``yield``, not into nested definitions."""
    values = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Await, ast.NamedExpr)
    found: dict[type[ast.AST], tuple[str, ...]] = dict.fromkeys(values, ("value",))
    found.update({ast.ExceptHandler: ("body",), ast.match_case: ("body",), ast.Yield: (), ast.YieldFrom: ()})
    bodies = ("body", "orelse", "finalbody", "handlers", "cases")
    loops, blocks = (ast.For, ast.AsyncFor, ast.While), (ast.With, ast.AsyncWith, ast.Try, ast.TryStar)
    for node in (ast.If, ast.Match, *loops, *blocks):
        found[node] = tuple(name for name in bodies if name in node._fields)
    return found


_LEADING = _leading()
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_ASSIGNING = (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign, ast.For, ast.AsyncFor)
_BINDING = frozenset({*_ASSIGNING, ast.With, ast.AsyncWith, ast.Import, ast.ImportFrom, *_DEFINITIONS})


def only_raises(body: Sequence[ast.stmt]) -> bool:
    """Whether a body does nothing but raise NotImplementedError."""
    match body:
        case [ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name)))]:
            return name == "NotImplementedError"
    return False
