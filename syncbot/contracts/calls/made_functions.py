"""Functions that an expression of the backend makes, which no dotted name leads to: lambdas, what a factory
returns, partial functions, objects that are called."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from syncbot.api.expressions import FunctionNode, dotted, expression, last_name
from syncbot.api.extract import function_in
from syncbot.api.model import Attribute, Function, Parameter
from syncbot.api.signatures import Arguments
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.calls.given_functions import is_harmless, leaves_as_it_is
from syncbot.contracts.calls.inner_functions import bound_inside
from syncbot.contracts.context import Context
from syncbot.contracts.function_sources import function_node

# So far expressions are followed into one another.
_STEPS = 8
_NATURES = {"staticmethod", "classmethod", "property"}


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an expression stands: its module, and the functions around, the outermost first."""

    module: str
    around: tuple[FunctionNode, ...] = ()


@dataclass(frozen=True, slots=True)
class _Made:
    """The definition of a function, where that stands, and by which built-in it became something else."""

    node: FunctionNode
    standing: Standing
    nature: str = ""
    filled: ast.Call | None = None


def made_function(value: ast.expr, context: Context) -> Function | None:
    """The function that an expression makes here; None for one that is not seen to be the backend's, or that
    some decorator may have made another one."""
    return made_at(value, _here(context), context.universe)


def definition_of(value: ast.expr, context: Context) -> tuple[FunctionNode, Standing] | None:
    """The definition of the function that an expression names or makes here, as it is, and where that stands;
    of what a factory makes, the factory is the last one around."""
    made = _made(value, _here(context), context.universe, _STEPS)
    return (made.node, made.standing) if made is not None and not made.nature else None


def _here(context: Context) -> Standing:
    around = tuple(p for p in context.parents if isinstance(p, FunctionNode))
    return Standing(context.file.module, around)


def made_at(value: ast.expr, standing: Standing, universe: Universe) -> Function | None:
    """The same for an expression that stands somewhere in the backend."""
    made = _made(value, standing, universe, _STEPS)
    function = function_in(made.node, b"") if made is not None else None
    if made is None or function is None:
        return None
    if made.filled is not None:
        rest = _rest(function.parameters, made.filled, made.nature == "partialmethod")
        if rest is None:
            return None
        function = replace(function, parameters=rest)
    nature = "staticmethod" if made.nature == "partial" else made.nature
    return replace(function, decorators=(nature,)) if nature in _NATURES else function


def called_object(class_: Symbol, universe: Universe) -> Function | None:
    """Return what takes the arguments where an object of a class is called, which is no method of what has
    it."""
    member = universe.member(class_, "__call__")
    if member is None or len(member.functions) != 1 or member.functions[0].decorators:
        return None
    function = member.functions[0]
    return replace(function, parameters=function.parameters[1:], decorators=("staticmethod",))


def _made(value: ast.expr, standing: Standing, universe: Universe, steps: int) -> _Made | None:
    if not steps:
        return None
    match value:
        case ast.Lambda():
            return _Made(_as_definition(value), standing)
        case ast.Name() | ast.Attribute():
            return _named(value, standing, universe, steps - 1)
        case ast.Call():
            return _called(value, standing, universe, steps - 1)
    return None


def _as_definition(node: ast.Lambda) -> FunctionNode:
    body: list[ast.stmt] = [ast.copy_location(ast.Return(value=node.body), node)]
    function = ast.FunctionDef(name="<lambda>", args=node.args, body=body, decorator_list=[], returns=None)
    return ast.copy_location(function, node)


def _named(
    node: ast.Name | ast.Attribute, standing: Standing, universe: Universe, steps: int
) -> _Made | None:
    for depth in range(len(standing.around), 0, -1) if isinstance(node, ast.Name) else ():
        function = standing.around[depth - 1]
        bound = bound_inside(function)
        if isinstance(node, ast.Name) and node.id in bound:
            found, inside = bound[node.id], Standing(standing.module, standing.around[:depth])
            if found is None or isinstance(found, FunctionNode):
                return _as_it_is(found, inside)
            return _made(found, inside, universe, steps)
        if isinstance(node, ast.Name) and node.id in _taken(function):
            return None
    return _at_top(dotted(node) or "", standing, universe, steps)


def _at_top(written: str, standing: Standing, universe: Universe, steps: int) -> _Made | None:
    """Return what a name of a module leads to, if that is the backend's."""
    found = universe.local(standing.module, written) if written else None
    if found is None or universe.tree_of(found.module) is not universe.tree_of(standing.module):
        return None
    match found.nodes:
        # What is read of it here begins below its decorators.
        case [Function() as function] if leaves_as_it_is(function):
            owner = found.qualname.rpartition(".")[0]
            defined = function_node(universe, found.module, function, owner)
            return _Made(defined, Standing(found.module)) if defined is not None else None
        case [Attribute(value=str(given), guards=())] if found.kind == "variable":
            inner = expression(given)
            return _made(inner, Standing(found.module), universe, steps) if inner is not None else None
    return None


def _taken(function: FunctionNode) -> set[str]:
    return {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}


def _as_it_is(node: FunctionNode | None, standing: Standing) -> _Made | None:
    """A definition whose decorators leave it what it is."""
    if node is None or not all(is_harmless(ast.unparse(d)) for d in node.decorator_list):
        return None
    return _Made(node, standing)


def _called(node: ast.Call, standing: Standing, universe: Universe, steps: int) -> _Made | None:
    by = last_name(ast.unparse(node.func))
    match node.args:
        case [inner] if by in _NATURES and not node.keywords:
            made = _made(inner, standing, universe, steps)
            return replace(made, nature=by) if made is not None and not made.nature else None
        case [inner, *_] if by in ("partial", "partialmethod"):
            made = _made(inner, standing, universe, steps)
            plain = made is not None and not made.nature
            return replace(made, nature=by, filled=node) if made is not None and plain else None
        case [inner] if is_harmless(by) and isinstance(inner, ast.Name | ast.Attribute | ast.Lambda):
            return _made(inner, standing, universe, steps)
        case [*_, inner] if by == "cast":
            return _made(inner, standing, universe, steps)
        case [inner, *_] if by == "update_wrapper":
            return _made(inner, standing, universe, steps)
    maker = _made(node.func, standing, universe, steps)
    return _returned(maker, universe, steps) if maker is not None and not maker.nature else None


def _returned(maker: _Made, universe: Universe, steps: int) -> _Made | None:
    """The one function that a factory returns, whatever it is given."""
    if isinstance(maker.node, ast.AsyncFunctionDef):
        return None
    inside = Standing(maker.standing.module, (*maker.standing.around, maker.node))
    values = list(returns([s for s in maker.node.body if not _is_done_already(s, maker.node)]))
    made = [_made(v, inside, universe, steps) if v is not None else None for v in values]
    first = made[0] if made else None
    if first is None or any(m is None or m.node is not first.node or m != first for m in made):
        return None
    return first


def _is_done_already(statement: ast.stmt, maker: FunctionNode) -> bool:
    """Whether a statement gives back what is wrapped already: what has an attribute that the maker sets."""
    match statement:
        case ast.If(test=test, body=[ast.Return(value=ast.Name(id=name))], orelse=[]):
            asked = ast.unparse(test).replace(f"cast(Any, {name})", name)
            return name in _taken(maker) and any(f"{by}({name}," in asked for by in ("getattr", "hasattr"))
    return False


def returns(body: Sequence[ast.stmt]) -> Iterator[ast.expr | None]:
    """The values of a function's own return statements; None for what it yields, too."""
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, FunctionNode | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Return):
            yield node.value
        elif isinstance(node, ast.Yield | ast.YieldFrom):
            yield None
        stack += ast.iter_child_nodes(node)


def _rest(parameters: Sequence[Parameter], call: ast.Call, method: bool) -> tuple[Parameter, ...] | None:
    """Return what a partial function takes beside what it was given; a method's receiver comes first."""
    given = Arguments.of(ast.Call(func=call.args[0], args=call.args[1:], keywords=call.keywords))
    if given.starred or given.double_starred:
        return None
    kept, left = parameters[: int(method)], list(parameters[int(method) :])
    for _ in range(given.positional):
        if left and left[0].kind in ("pos", "any"):
            left.pop(0)
        elif not left or left[0].kind != "*":
            return None
    first = next((i for i, p in enumerate(left) if p.name in given.keywords), len(left))
    named = (_by_name(p, given) for p in left[first:])
    return (*kept, *left[:first], *named)


def _by_name(parameter: Parameter, given: Arguments) -> Parameter:
    """Return how a call fits whose parameters after the first one given by name can be given by name
    alone."""
    kind = "key" if parameter.kind == "any" else parameter.kind
    default = "..." if parameter.name in given.keywords else parameter.default
    return replace(parameter, kind=kind, default=default)
