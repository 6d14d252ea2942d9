"""Statements that put something under a name of a class or module, where loops, parameters and conditions
around decide what: ``for name, new in table: setattr(owner, name, new)``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted, string
from syncbot.api.statement_parts import branches
from syncbot.contracts.calls.given_functions import is_harmless
from syncbot.contracts.calls.known_tests import folded, truth

#: What an expression is made of, where a loop goes through it; None where that is not written out.
Elements = Callable[[ast.expr], Sequence[ast.expr] | None]

# So many elements of a loop are looked at.
_MOST = 200
_EVERYWHERE = {"getattr", "setattr", "vars", "type", "importlib", "import_module", "sys", "functools"}


@dataclass(frozen=True, slots=True)
class Put:
    """``owner.name = value``, which the statement ``at`` does on the conditions ``guards``; ``plain``: owner
    and name are what is written there. ``function`` is the value where the statements define it."""

    owner: ast.expr
    name: str
    value: ast.expr
    at: ast.stmt
    guards: tuple[str, ...] = ()
    plain: bool = False
    function: FunctionNode | None = None


@dataclass
class Placing:
    """Runs through statements where it is known what happens. ``names`` are the expressions that names stand
    for, None for what is not known, ``given`` those that are not told by the statements themselves;
    ``foreign``: other names mean nothing where the expressions are asked for."""

    names: dict[str, ast.expr | None]
    elements: Elements
    given: set[str] = field(default_factory=set)
    foreign: bool = False
    guards: tuple[str, ...] = ()
    # The functions that the statements define, by the names that stand for them.
    defined: dict[ast.expr, FunctionNode] = field(default_factory=dict, init=False)
    # Whether what follows is reached is not known, or it is not reached.
    stopped: bool = field(default=False, init=False)

    def puts(self, body: Sequence[ast.stmt]) -> Iterator[Put]:
        """Yield what the statements put somewhere for sure, or where a test says that it is there."""
        for statement in body:
            yield from self._of(statement)
            if self.stopped:
                return

    def loop(self, node: ast.For) -> Iterator[Put]:
        """The same of one loop, whose names nothing else tells."""
        self.given |= {n.id for n in every_node(node.target) if isinstance(n, ast.Name)}
        yield from self._of(node)

    def _of(self, node: ast.stmt) -> Iterator[Put]:
        match node:
            case ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=[owner, name, value])):
                yield from self._put(owner, name, value, node)
            case ast.Assign(targets=[ast.Attribute(value=owner, attr=attr)], value=value):
                yield from self._put(owner, ast.Constant(value=attr), value, node)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                self._name(name, self._known(value), given=self._is_given(value))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if all(
                is_harmless(ast.unparse(d)) for d in node.decorator_list
            ):
                itself = ast.Name(id=name, ctx=ast.Load())
                self.defined[itself] = node
                self._name(name, itself, given=False)
            case ast.If():
                yield from self._if(node)
            case ast.For(target=target, iter=several):
                yield from self._loop(target, several, node.body)
            case ast.With() | ast.Try():
                yield from self._block(node)
            case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
                self.stopped = True
            case _:
                self._forget(node)

    def _name(self, name: str, value: ast.expr | None, *, given: bool) -> None:
        self.names[name] = value
        self.given = self.given | {name} if given else self.given - {name}

    def _is_given(self, node: ast.AST) -> bool:
        return any(isinstance(n, ast.Name) and n.id in self.given for n in every_node(node))

    def _put(self, owner: ast.expr, name: ast.expr, value: ast.expr, at: ast.stmt) -> Iterator[Put]:
        known = [self._known(part) for part in (owner, name, value)]
        given = [self._is_given(part) for part in (owner, name, value)]
        written = string(known[1])
        if known[0] is not None and known[2] is not None and written is not None and any(given):
            named = self.names.get(value.id) if isinstance(value, ast.Name) else None
            function = self.defined.get(named) if named is not None else None
            yield Put(known[0], written, known[2], at, self.guards, not any(given[:2]), function)

    def _if(self, node: ast.If) -> Iterator[Put]:
        test = self._known(node.test)
        told = truth(test) if test is not None else None
        if told is not None:
            yield from self.puts(node.body if told else node.orelse)
        elif test is not None and "hasattr(" in (shown := ast.unparse(test)):
            yield from self._either(node, shown)
        else:
            # Whatever it says of what is gone through here, the rest may not be reached for that.
            leaves = any(isinstance(n, ast.Return | ast.Continue | ast.Break) for n in every_node(node))
            self.stopped = leaves and self._is_given(node.test)
            self._forget(node)

    def _either(self, node: ast.If, test: str) -> Iterator[Put]:
        outer, rest = self.guards, self.guards
        for body, guard, other in (
            (node.body, f"if {test}", f"else {test}"),
            (node.orelse, f"else {test}", f"if {test}"),
        ):
            self.guards = (*outer, guard)
            yield from self.puts(body)
            rest = (*rest, other) if self.stopped else rest
            self.stopped = False
        self.guards = rest

    def _loop(self, target: ast.expr, several: ast.expr, body: Sequence[ast.stmt]) -> Iterator[Put]:
        known = self._known(several)
        elements = self.elements(known) if known is not None else None
        given = self._is_given(several) or self._is_given(target)
        for element in (elements or ())[:_MOST]:
            if self._bind(target, element, given):
                yield from self.puts(body)
            self.stopped = False
        for statement in (target, *body):
            self._forget(statement)

    def _bind(self, target: ast.expr, element: ast.expr, given: bool) -> bool:
        match target, element:
            case ast.Name(id=name), _:
                self._name(name, element, given=given)
                return True
            case (
                ast.Tuple(elts=targets),
                ast.Tuple(elts=parts) | ast.List(elts=parts),
            ) if len(targets) == len(parts):
                return all(self._bind(t, p, given) for t, p in zip(targets, parts, strict=True))
        return False

    def _block(self, node: ast.With | ast.Try) -> Iterator[Put]:
        outer = self.guards
        body, guard = next(iter(branches(node)))
        self.guards = (*outer, *guard)
        yield from self.puts(body)
        self.guards = outer
        self._forget(node)

    def _forget(self, node: ast.AST) -> None:
        """Forget what a statement binds."""
        for inner in every_node(node):
            match inner:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.FunctionDef(name=name):
                    self.names[name] = None
                case ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
                    self.names[name] = None
                case ast.alias(name=name, asname=asname):
                    self.names[asname or name.partition(".")[0]] = None

    def _known(self, node: ast.expr) -> ast.expr | None:
        """An expression with all names replaced that stand for another one; None where one is not known."""
        for inner in every_node(node):
            if isinstance(inner, ast.Lambda) and self.names:
                return None
            if isinstance(inner, ast.Name):
                strange = self.foreign and inner.id not in _EVERYWHERE
                if self.names.get(inner.id, None if strange else inner) is None:
                    return None
        return folded(deepcopy(node), self.names)


def bound_arguments(
    arguments: ast.arguments, call: ast.Call, skip: int = 0
) -> dict[str, ast.expr | None] | None:
    """Return what the parameters of a function stand for in a call; None where that is not told. The first
    ``skip`` are filled already."""
    plain = [*arguments.posonlyargs, *arguments.args]
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    names: dict[str, ast.expr | None] = {a.arg: None for a in (*plain, *arguments.kwonlyargs)}
    names |= {a.arg: None for a in (arguments.vararg, arguments.kwarg) if a is not None}
    defaults = arguments.defaults
    names |= {a.arg: d for a, d in zip(plain[len(plain) - len(defaults) :], defaults, strict=True)}
    names |= {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)}
    names |= {a.arg: value for a, value in zip(plain[skip:], call.args, strict=False)}
    return names | {k.arg: k.value for k in call.keywords if k.arg in names}


def may_put(node: FunctionNode) -> bool:
    """Whether a function puts something into what it does not make: a cheap look."""
    return any(map(_puts, every_node(node)))


def _puts(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="setattr"), args=[owner, _, _]):
            return dotted(owner) != "self"
        case ast.Assign(targets=[ast.Attribute(value=owner)]):
            return (dotted(owner) or "self").partition(".")[0] not in ("self", "cls")
    return False
