"""Whether an upstream function whose ``**kwargs`` take a keyword hands it on to what takes it."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted, string
from syncbot.api.model import Function
from syncbot.api.signatures import constructor, maker
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.calls.undeclared_fields import leaves_out_undeclared
from syncbot.contracts.function_sources import function_node

# So many functions are followed into one another.
_DEPTH = 4
_READING = ("get", "pop", "setdefault")


@dataclass(frozen=True, slots=True)
class Reached:
    """A function that a call runs, in its module, and the class that it is a method of; ``given`` are the
    keywords of that call, None where it may have others."""

    module: str
    function: Function
    owner: Symbol | None = None
    depth: int = 0
    given: frozenset[str] | None = None


def takes(universe: Universe, reached: Reached, keyword: str) -> bool | None:
    """Whether passing a keyword is of any use to a function, None where that cannot be told."""
    names = {p.name for p in reached.function.parameters if p.kind in ("any", "key")}
    catcher = next((p.name for p in reached.function.parameters if p.kind == "**"), None)
    if keyword in names or catcher is None:
        return keyword in names
    owner = reached.owner.qualname if reached.owner is not None else ""
    node = function_node(universe, reached.module, reached.function, owner)
    handed = _handed_on(node, catcher, keyword) if node is not None else None
    if node is None or handed is None or reached.depth >= _DEPTH:
        return None
    told = [_call_takes(universe, reached, node, call, keyword) for call in handed]
    return told[0] if told and len(set(told)) == 1 else None


def takes_out(universe: Universe, reached: Reached, keyword: str) -> bool:
    """Whether a function takes a keyword out of its ``**kwargs`` by name."""
    node, catcher = _body(universe, reached)
    if node is None:
        return False
    names = {catcher, *_copies(node, catcher)}
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "pop"
        and _is(call.func.value, names)
        and bool(call.args)
        and string(call.args[0]) == keyword
        for call in _within(node)
    )


def names(universe: Universe, reached: Reached, keyword: str) -> bool:
    """Whether a function has a keyword as a text, or a decorator that may see it."""
    node, _ = _body(universe, reached)
    if node is None or reached.function.decorators:
        return True
    return any(string(n) == keyword for n in _within(node) if isinstance(n, ast.Constant))


@lru_cache(64)
def _within(node: FunctionNode) -> tuple[ast.AST, ...]:
    """The nodes of a function, which is asked for again for each keyword of each call."""
    return tuple(every_node(node))


def _body(universe: Universe, reached: Reached) -> tuple[FunctionNode | None, str]:
    catcher = next((p.name for p in reached.function.parameters if p.kind == "**"), "")
    owner = reached.owner.qualname if reached.owner is not None else ""
    return function_node(universe, reached.module, reached.function, owner), catcher


def _call_takes(
    universe: Universe, reached: Reached, node: FunctionNode, call: ast.Call, keyword: str
) -> bool | None:
    func = _default(reached, node, call.func)
    further = followed(universe, reached, node, func)
    if further is None:
        return _is_field(universe, reached, node, func, keyword)
    given = None if reached.given is None else reached.given | {k.arg for k in call.keywords if k.arg}
    return takes(universe, replace(further, given=given), keyword)


def _is_field(
    universe: Universe, reached: Reached, node: FunctionNode, func: ast.expr, keyword: str
) -> bool | None:
    """Whether what is called is a data class with such a field; None for anything else, and for a class that
    goes well with others."""
    class_ = _written(universe, reached, node, func)
    made = maker(universe, class_) if class_ is not None and class_.kind == "class" else None
    if class_ is None or made is None or not made.fields or leaves_out_undeclared(universe, class_):
        return None
    built = constructor(universe, class_)
    return None if built is None else any(keyword in signature.names for signature in built[0])


def _default(reached: Reached, node: FunctionNode, func: ast.expr) -> ast.expr:
    """Return what a variable is called for that holds a default, since the call does not give another: as in
    ``cls = options.pop("cls", Plain)``, or ``if cls is None: cls = Plain`` of a keyword parameter."""
    if not isinstance(func, ast.Name) or reached.given is None:
        return func
    stored = [n for n in _within(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    if sum(n.id == func.id for n in stored) != 1:
        return func
    optional = any(p.name == func.id and p.kind == "key" for p in reached.function.parameters)
    for inner in _within(node):
        match inner:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == func.id:
                key, default = _taken_out(value)
                return default if key is not None and key not in reached.given and default else func
            case ast.If(
                test=ast.Compare(
                    left=ast.Name(id=tested), ops=[ast.Is()], comparators=[ast.Constant(value=None)]
                ),
                body=[ast.Assign(targets=[ast.Name(id=name)], value=value)],
            ) if tested == name == func.id and optional and name not in reached.given:
                return value
    return func


def _taken_out(value: ast.expr) -> tuple[str | None, ast.expr | None]:
    """The key that an expression takes out of a dictionary, and what it is worth without it."""
    match value:
        case ast.BoolOp(op=ast.Or(), values=[taken, default]):
            key, other = _taken_out(taken)
            return key, default if isinstance(other, ast.Constant) and other.value is None else None
        case ast.Call(
            func=ast.Attribute(attr="pop" | "get"), args=[ast.Constant(value=str(key)), default], keywords=[]
        ):
            return key, default
    return None, None


def followed(universe: Universe, reached: Reached, node: FunctionNode, func: ast.expr) -> Reached | None:
    """Return what a call inside a function runs, None where that cannot be told."""
    match func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr=name):
            skip = 1
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
            skip = 0
        case _:
            return _named(universe, reached, node, func)
    if reached.owner is None:
        return None
    member = universe.member(reached.owner, name, skip)
    if (
        member is None
        or len(member.functions) != 1
        or (skip and _is_hidden(universe, reached.owner, member.owner))
    ):
        return None
    return Reached(member.owner.module, member.functions[0], member.owner, reached.depth + 1)


def _is_hidden(universe: Universe, owner: Symbol, defining: Symbol) -> bool:
    """Whether a base from outside the trees may come before the one that defines a member."""
    return (
        len(list(universe.bases(owner))) > 1 and bool(universe.lineage(owner).external) and owner != defining
    )


def _written(universe: Universe, reached: Reached, node: FunctionNode, func: ast.expr) -> Symbol | None:
    """Return what a name of the module is that a call inside a function writes."""
    name = dotted(func)
    bound = {n.id for n in _within(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {a.arg for a in every_node(node.args) if isinstance(a, ast.arg)}
    if name is None or name.partition(".")[0] in bound:
        return None
    return universe.local(reached.module, name)


def _named(universe: Universe, reached: Reached, node: FunctionNode, func: ast.expr) -> Reached | None:
    found = _written(universe, reached, node, func)
    if found is None:
        return None
    depth = reached.depth + 1
    if found.kind == "class":
        made = maker(universe, found)
        functions = made.functions if made is not None else ()
        home = made.owner if made is not None else None
        if home is None or len(functions) != 1:
            return None
        return Reached(home.module, functions[0], home, depth)
    if found.kind != "function" or len(found.functions) != 1:
        return None
    function = found.functions[0]
    inside, _, _ = found.qualname.rpartition(".")
    if inside and function.decorators == ("classmethod",):
        return Reached(found.module, function, universe.local(found.module, inside), depth)
    return None if inside or function.decorators else Reached(found.module, function, None, depth)


def _handed_on(node: FunctionNode, catcher: str, keyword: str) -> tuple[ast.Call, ...] | None:
    """The calls that are given all of ``**catcher``; None where something else is done with it as well."""
    names = {catcher, *_copies(node, catcher)}
    calls: list[ast.Call] = []
    loads = 0
    understood = 0
    for inner in _within(node):
        match inner:
            case ast.Name(id=name, ctx=context) if name in names:
                if not isinstance(context, ast.Load):
                    if name == catcher:
                        return None
                    continue
                loads += 1
            case ast.If(test=ast.Name(id=name)) if name in names:
                understood += 1
            case ast.Call(keywords=keywords) if any(_is(k.value, names) for k in keywords if k.arg is None):
                calls.append(inner)
                understood += 1
            case ast.Call(func=ast.Attribute(value=value, attr="copy"), args=[]) if _is(value, names):
                understood += 1
            case ast.Call(func=ast.Attribute(value=value, attr=attr), args=[key, *_]) if _is(value, names):
                if attr not in _READING or not _is_other(key, keyword):
                    return None
                understood += 1
            case ast.Subscript(value=value, slice=key) if _is(value, names):
                if not _is_other(key, keyword):
                    return None
                understood += 1
            case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[value]) if _is(
                value, names
            ):
                if not _is_other(key, keyword):
                    return None
                understood += 1
    return tuple(calls) if loads == understood else None


def _copies(node: FunctionNode, catcher: str) -> set[str]:
    """The variables that hold a copy of ``**catcher``, and never anything else."""
    stored = Counter(n.id for n in _within(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    copied: set[str] = set()
    for inner in _within(node):
        match inner:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Attribute(value=value, attr="copy"), args=[]),
            ) if stored[name] == 1 and _is(value, {catcher}):
                copied.add(name)
    return copied


def _is(node: ast.expr, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _is_other(key: ast.expr, keyword: str) -> bool:
    return isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value != keyword
