"""How upstream calls a function that one of its own is given: there, in what that hands it on to, and
wherever what it is kept in is looked at."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.model import Parameter
from syncbot.api.signatures import Arguments, function_signatures
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.calls.certain_statements import certain, evaluated
from syncbot.contracts.calls.declared_arguments import parameter
from syncbot.contracts.calls.forwarded_keywords import Reached, followed
from syncbot.contracts.calls.given_functions import leaves_as_it_is
from syncbot.contracts.calls.held_callables import (
    NOTHING_DONE,
    HandedOn,
    HeldUses,
    Result,
    binds,
    held_uses,
    variable,
)
from syncbot.contracts.calls.inner_functions import returned_function
from syncbot.contracts.function_sources import function_node

# So many functions a callback is handed through.
_DEPTH = 3
# What asks nothing of a callable that its parameters decide.
_HARMLESS = {
    *(
        "callable",
        "getattr",
        "setattr",
        "hasattr",
        "id",
        "repr",
        "str",
        "print",
        "wraps",
        "update_wrapper",
        "len",
    ),
    *(
        "list",
        "tuple",
        "set",
        "dict",
        "sorted",
        "reversed",
        "enumerate",
        "iter",
        "next",
        "cast",
        "append",
        "add",
    ),
    *("iscoroutinefunction", "insert", "extend", "update", "debug", "info", "warning", "isawaitable"),
}
_CATCHING = {"TypeError", "Exception", "BaseException"}


@dataclass(frozen=True, slots=True)
class CallbackCall:
    """A call of a callback in the function ``where``; ``sure``: it runs whenever the function does that was
    given the callback; ``caught``: code around it goes on without a TypeError; ``tested``: what is done with
    the callback beside may be a test of what it takes."""

    arguments: Arguments
    where: str
    sure: bool = False
    caught: bool = False
    tested: bool = False
    result: Result = NOTHING_DONE


@dataclass(frozen=True, slots=True)
class Taking:
    """A function that is given a callback, at a ``depth`` as in held_callables.py; ``class_`` is that of the
    object whose method it is, ``key`` that of a dictionary which holds the callback."""

    reached: Reached
    depth: int = 0
    class_: Symbol | None = None
    sure: bool = True
    key: str = ""


def calls_of_parameter(
    universe: Universe, taking: Taking, taken: Parameter, *, made: str = ""
) -> tuple[CallbackCall, ...] | None:
    """How what a parameter takes is called; with a key ``made``, what the function that this one makes and
    returns takes there. None where that cannot be told."""
    node = _node(universe, taking.reached)
    if node is None or not leaves_as_it_is(taking.reached.function):
        return None
    name = taken.name
    if made:
        inner = returned_function(node)
        first = next(iter((*inner.args.posonlyargs, *inner.args.args)), None) if inner is not None else None
        if inner is None or inner.decorator_list or first is None or made != "0":
            return None
        node, name, taking = inner, first.arg, replace(taking, sure=False)
    uses = held_uses(node, name, taking.depth + (taken.kind == "*" and not made))
    if uses is not None and taking.key:
        under = held_uses(node, f"{name}[{taking.key!r}]", taking.depth - 1)
        uses.calls += under.calls if under is not None else []
    return tuple(dict.fromkeys(_calls(universe, taking, node, uses))) if uses is not None else None


def _node(universe: Universe, reached: Reached) -> FunctionNode | None:
    owner = reached.owner.qualname if reached.owner is not None else ""
    return function_node(universe, reached.module, reached.function, owner)


def _calls(universe: Universe, taking: Taking, node: FunctionNode, uses: HeldUses) -> Iterator[CallbackCall]:
    reached = taking.reached
    sure, caught = _sure(node) if taking.sure else set(), caught_in(node)
    where = f"{reached.owner.name if reached.owner is not None else reached.module}.{reached.function.name}"
    led = [(h, _further(universe, taking, node, h, sure=id(h.node) in sure)) for h in uses.handed]
    tested = any(further is None and not _is_harmless(h.node) for h, further in led)
    for call in uses.calls:
        at = id(call.node)
        yield CallbackCall(
            call.arguments, where, at in sure and not _is_lazy(node), at in caught, tested, call.result
        )
    for handed, further in led:
        at = id(handed.node)
        for inner in (calls_of_parameter(universe, *further) or ()) if further is not None else ():
            yield replace(inner, caught=inner.caught or at in caught, tested=inner.tested or tested)
    tree, class_ = universe.tree_of(reached.module), taking.class_ or reached.owner
    for place in sorted(uses.kept):
        if not place[0].startswith("self."):
            yield from _of_variable(universe, reached.module, place, reached.depth)
        elif class_ is not None:
            yield from _of_attribute(universe, tree, class_, place, reached.depth)


def _is_lazy(node: FunctionNode) -> bool:
    """Whether calling a function runs none of its statements yet: a generator, or a coroutine function."""
    lazy = any(isinstance(n, ast.Yield | ast.YieldFrom) for n in every_node(node))
    return lazy or isinstance(node, ast.AsyncFunctionDef)


def _is_harmless(call: ast.Call) -> bool:
    """Whether a call that is given a callback does nothing that depends on what it takes."""
    func = call.func
    return (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")) in _HARMLESS


def _further(
    universe: Universe, taking: Taking, node: FunctionNode, handed: HandedOn, *, sure: bool
) -> tuple[Taking, Parameter] | None:
    """The function that one hands a callback on to, and the parameter that takes it there."""
    reached = taking.reached
    further = followed(universe, reached, node, handed.node.func) if reached.depth < _DEPTH else None
    if further is None:
        return None
    bound = further.owner is not None and "staticmethod" not in further.function.decorators
    taken = parameter(function_signatures((further.function,), bound)[0], handed.key)
    if taken is None:
        return None
    by_self = (dotted(handed.node.func) or "super").partition(".")[0] in ("self", "cls", "super")
    class_ = taking.class_ if by_self and taking.class_ is not None else further.owner
    return Taking(further, handed.depth, class_, sure), taken


def _of_attribute(
    universe: Universe, tree: ModuleTree | None, class_: Symbol, place: tuple[str, int], handed: int
) -> Iterator[CallbackCall]:
    """The calls in methods of a tree: what the backend's own class overrides does not run."""
    found: list[CallbackCall] = []
    name, depth = place
    word, overridden = variable(name.removeprefix("self.")).encode(), set[str]()
    for owner in universe.lineage(class_).classes:
        body = universe.body(owner)
        if universe.tree_of(owner.module) is not tree:
            overridden |= {f.name for f in body.functions} if body is not None else set()
            continue
        lines = (universe.source(owner.module) or b"").splitlines()
        for function in body.functions if body is not None else ():
            if function.name in overridden or not any(
                word in x for x in lines[function.line : function.end_line]
            ):
                continue
            reached = Reached(owner.module, function, owner, handed + 1)
            node = _node(universe, reached)
            uses = held_uses(node, name, depth) if node is not None else None
            if node is None or uses is None:
                return
            uses.kept.clear()
            found += _calls(universe, Taking(reached, depth, class_, sure=False), node, uses)
    yield from found


def _of_variable(
    universe: Universe, module: str, place: tuple[str, int], handed: int
) -> Iterator[CallbackCall]:
    found: list[CallbackCall] = []
    name, depth = place
    universe.table(module)
    source = universe.source(module) or b""
    lines, word = source.splitlines(), variable(name).encode()
    tree = parsed(source)
    owners: list[tuple[str, ast.AST]] = [("", tree)] if tree is not None else []
    owners += [(n.name, n) for n in (tree.body if tree is not None else ()) if isinstance(n, ast.ClassDef)]
    for class_name, around in owners:
        owner = universe.local(module, class_name) if class_name else None
        for node in (n for n in getattr(around, "body", ()) if isinstance(n, FunctionNode)):
            # Most functions of a module do not even name the variable.
            if not any(word in line for line in lines[node.lineno - 1 : node.end_lineno]):
                continue
            symbol = universe.local(module, f"{class_name}.{node.name}".lstrip("."))
            if symbol is None or not symbol.functions or binds(node, variable(name)):
                continue
            uses = held_uses(node, name, depth)
            if uses is None:
                return
            uses.kept.clear()
            reached = Reached(module, symbol.functions[-1], owner, handed + 1)
            found += _calls(universe, Taking(reached, depth, owner, sure=False), node, uses)
    yield from found


def _sure(node: FunctionNode) -> set[int]:
    """The nodes that are evaluated whenever a function runs, what stands in a ``try`` left out."""
    tried = {id(n) for t in every_node(node) if isinstance(t, ast.Try) for s in t.body for n in every_node(s)}
    return {id(n) for statement in certain(node.body) for n in evaluated(statement)} - tried


def caught_in(node: FunctionNode) -> set[int]:
    """The nodes of a function whose TypeError a handler in it catches, and does not raise again."""
    found: set[int] = set()
    for tried in every_node(node):
        if isinstance(tried, ast.Try) and any(map(_goes_on, tried.handlers)):
            found |= {id(n) for statement in tried.body for n in every_node(statement)}
    return found


def _goes_on(handler: ast.ExceptHandler) -> bool:
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {(dotted(t) or "").rpartition(".")[2] if t is not None else "Exception" for t in types}
    raises = any(isinstance(n, ast.Raise) for s in handler.body for n in every_node(s))
    return not raises and not names.isdisjoint(_CATCHING)
