"""Whether a call is sure to raise: the guards of a function, followed for the arguments that are known."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.model import Function
from syncbot.api.statement_parts import branches
from syncbot.api.universe import Universe
from syncbot.contracts.calls.known_values import Constant, Known, Surroundings
from syncbot.contracts.calls.written_tables import lacks_key
from syncbot.contracts.function_sources import function_node

# So many functions are followed into one another.
_DEPTH = 2


@dataclass(frozen=True, slots=True)
class Raised:
    """A call raises: what stands in the guard, and the text of what is raised."""

    condition: str
    raised: str


@dataclass(frozen=True, slots=True)
class Running:
    """A function that runs: its module, the class that it is a method of, and itself."""

    module: str
    function: Function
    owner: str = ""
    depth: int = 0


class _Stop(Exception):
    """Nothing that follows is sure to run."""


def refusal(universe: Universe, running: Running, given: Mapping[str, Known]) -> Raised | None:
    """Why a function raises for these values of its parameters, whatever the others are; None where it is not
    sure to. A parameter that ``given`` lacks has its default; the ``**`` one is given as a dictionary."""
    function = running.function
    node = function_node(universe, running.module, function, running.owner)
    if node is None or function.is_async or function.is_generator:
        return None
    outside = Surroundings(universe, running.module, {})
    names = {name: given.get(name, outside.value(default)) for name, default in _parameters(node)}
    catcher = node.args.kwarg.arg if node.args.kwarg is not None else ""
    if catcher in given and not _asked_first(node, catcher):
        names[catcher] = None
    try:
        return _Run(universe, running, names).statements(node.body)
    except (_Stop, RecursionError):
        return None


def _asked_first(node: FunctionNode, catcher: str) -> bool:
    """Whether a function asks for its ``**`` parameter alone before it does anything else with it."""
    for statement in node.body:
        if any(isinstance(n, ast.Name) and n.id == catcher for n in every_node(statement)):
            return isinstance(statement, ast.If) and isinstance(statement.test, ast.Name)
    return False


def _parameters(node: FunctionNode) -> Iterator[tuple[str, ast.expr | None]]:
    """The names of a function's parameters with their defaults."""
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [*[None] * (len(plain) - len(arguments.defaults)), *arguments.defaults]
    yield from ((a.arg, default) for a, default in zip(plain, defaults, strict=True))
    yield from ((a.arg, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    yield from ((a.arg, None) for a in (arguments.vararg, arguments.kwarg) if a is not None)


@dataclass(slots=True)
class _Run:
    universe: Universe
    running: Running
    names: dict[str, Known]

    @property
    def here(self) -> Surroundings:
        return Surroundings(self.universe, self.running.module, self.names)

    def statements(self, body: Sequence[ast.stmt]) -> Raised | None:
        """Why some statements raise; what they bind is known afterwards. Raises _Stop if they may leave."""
        for node in body:
            raised = self.statement(node)
            if raised is not None:
                return raised
        return None

    def statement(self, node: ast.stmt) -> Raised | None:
        match node:
            case ast.Raise():
                return Raised("", _shown(node.exc))
            case ast.Assert(test=test):
                if self.here.truth(test) is False:
                    return Raised(ast.unparse(test), "AssertionError")
            case ast.If():
                return self.branch(node)
            case ast.Return(value=value):
                raised = self.called(value)
                if raised is None:
                    raise _Stop
                return raised
            case ast.Expr(value=value):
                return self.called(value)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                raised = self.called(value)
                self.names[name] = self.here.value(value)
                return raised
            case ast.With() if not any("suppress" in ast.unparse(item) for item in node.items):
                self.forget([ast.Expr(item.optional_vars) for item in node.items if item.optional_vars])
                return self.statements(node.body)
            case _:
                self.forget([node])
                _leaves([node])
        return None

    def branch(self, node: ast.If) -> Raised | None:
        truth = self.here.truth(node.test)
        if truth is not None:
            raised = self.statements(node.body if truth else node.orelse)
            if raised is None or raised.condition:
                return raised
            return Raised(f"{'' if truth else 'not '}{ast.unparse(node.test)}", raised.raised)
        _leaves([*node.body, *node.orelse])
        # What is raised on one branch alone is not sure to be; what the other one binds is what follows.
        sides = [part for part in (node.body, node.orelse) if not _ends_in_raise(part)]
        for side in sides:
            self.forget(side)
        return None

    def forget(self, body: Sequence[ast.AST]) -> None:
        """Nothing is known any more of what some statements bind."""
        bound = (n for statement in body for n in every_node(statement))
        for node in bound:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
                self.names[node.id] = None
            elif isinstance(node, FunctionNode | ast.ClassDef):
                self.names[node.name] = None
            elif isinstance(node, ast.alias):
                self.names[(node.asname or node.name).partition(".")[0]] = None

    def looked_up(self, node: ast.Subscript) -> Raised | None:
        """Why a dictionary that a module spells out raises when it is asked for a key."""
        key, name = self.here.value(node.slice), dotted(node.value)
        if not isinstance(key, Constant) or name is None or name.partition(".")[0] in self.names:
            return None
        table = self.universe.local(self.running.module, name)
        if table is None or not lacks_key(self.universe, table, (repr(key.value),)):
            return None
        return Raised(f"{name} has no {key.value!r}", "KeyError")

    def called(self, value: ast.expr | None) -> Raised | None:
        """Why the function that an expression calls raises, or the table that it looks into."""
        looking = value.func if isinstance(value, ast.Call) else value
        if isinstance(looking, ast.Subscript):
            return self.looked_up(looking)
        if not isinstance(value, ast.Call) or self.running.depth >= _DEPTH:
            return None
        name = dotted(value.func)
        if name is None or name.partition(".")[0] in self.names:
            return None
        found = self.universe.local(self.running.module, name)
        if found is None or found.kind != "function" or len(found.functions) != 1 or "." in found.qualname:
            return None
        given = passed(found.functions[0], value, self.here)
        if given is None:
            return None
        running = Running(found.module, found.functions[0], depth=self.running.depth + 1)
        return refusal(self.universe, running, given)


def passed(function: Function, call: ast.Call, here: Surroundings) -> dict[str, Known] | None:
    """Return what a call passes by parameter; None where stars hide it."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    places = [p.name for p in function.parameters if p.kind in ("pos", "any")]
    given = {name: here.value(argument) for name, argument in zip(places, call.args, strict=False)}
    return given | {str(k.arg): here.value(k.value) for k in call.keywords}


def _ends_in_raise(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise)


def _leaves(body: Sequence[ast.stmt]) -> None:
    """Raises _Stop where statements may leave the function otherwise than by an exception."""
    for node in body:
        if isinstance(node, ast.Return):
            raise _Stop
        for inner, _ in branches(node):
            _leaves(inner)


def _shown(raised: ast.expr | None) -> str:
    called = raised.func if isinstance(raised, ast.Call) else raised
    return (dotted(called) or "an exception") if called is not None else "an exception"
