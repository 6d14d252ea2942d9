"""The code of one function calls, keeps or hands on a callable that some of its names hold. Depth 0 is the
callable itself, 1 a list or dictionary of such ones, and so on."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted, string
from syncbot.api.handed_on import as_call, handed_on
from syncbot.api.signatures import Arguments

# What looks into a function before it is called, to call it in the way it was written.
_LOOKING = {"signature", "getfullargspec", "getargspec", "__code__", "__wrapped__", "_getfullargspec"}
_ALIKE = {"list", "tuple", "sorted", "reversed", "set", "copy", "deepcopy"}
_ELEMENT = {"get", "pop", "popleft", "setdefault"}
_FILLING = {"append", "appendleft", "add", "insert", "setdefault"}
# So many steps an expression is followed into, and names into one another.
_STEPS = 8


@dataclass(frozen=True, slots=True)
class Result:
    """The use of the result of a call: it is ``awaited``, it is unpacked into ``parts`` values."""

    awaited: bool = False
    parts: int | None = None


NOTHING_DONE = Result()


@dataclass(frozen=True, slots=True)
class HeldCall:
    """A call of what is held, by the ``node`` there; ``arguments`` are what it is called with."""

    node: ast.Call
    arguments: Arguments
    result: Result = NOTHING_DONE


@dataclass(frozen=True, slots=True)
class HandedOn:
    """A call that is given what is held, at a ``key`` (place or keyword), at some depth."""

    node: ast.Call
    key: str
    depth: int


@dataclass(slots=True)
class HeldUses:
    """All that a function does with what is held; ``kept`` are the places that hold it from then on."""

    calls: list[HeldCall] = field(default_factory=list)
    handed: list[HandedOn] = field(default_factory=list)
    kept: set[tuple[str, int]] = field(default_factory=set)


def held_uses(function: FunctionNode, name: str, depth: int) -> HeldUses | None:
    """Return what a function does with what ``name`` (``self.hooks``, or a variable) holds; None where the
    name may stand for something else there, or the function looks at what a callable takes."""
    nodes = tuple(every_node(function))
    if any(_looks_inside(node) for node in nodes) or _is_bound_anew(function, nodes, name):
        return None
    held = _held(nodes, name, depth)
    uses = HeldUses()
    for node in nodes:
        match node:
            case ast.Call():
                _of_call(node, held, uses)
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AnnAssign(target=target, value=ast.expr() as value)
            ):
                if (at := _depth(value, held)) is not None:
                    uses.kept.update(_place(target, at))
    results = dict(found for node in reversed(nodes) for found in _results(node))
    uses.calls = [replace(call, result=results.get(id(call.node), NOTHING_DONE)) for call in uses.calls]
    locals_ = _bound(nodes) - _global(nodes)
    uses.kept = {(place, at) for place, at in uses.kept if variable(place) not in locals_}
    return uses


def _results(node: ast.AST) -> Iterator[tuple[int, Result]]:
    """Yield what a node does with the result of the call in it, by that call."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Await(value=ast.Call() as call)):
            yield id(call), Result(awaited=True, parts=_count(parts))
        case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Call() as call):
            yield id(call), Result(parts=_count(parts))
        case ast.Await(value=ast.Call() as call):
            yield id(call), Result(awaited=True)


def _count(parts: Sequence[ast.expr]) -> int | None:
    return None if any(isinstance(part, ast.Starred) for part in parts) else len(parts)


def variable(place: str) -> str:
    """The name that a place begins with."""
    return place.partition(".")[0].partition("[")[0]


def binds(function: FunctionNode, name: str) -> bool:
    """Whether a variable of that name is the function's own."""
    nodes = tuple(every_node(function))
    return name in _bound(nodes) - _global(nodes) or any(_is_argument(node, name) for node in nodes)


def _of_call(node: ast.Call, held: Mapping[str, int], uses: HeldUses) -> None:
    if _depth(node.func, held) == 0:
        uses.calls.append(HeldCall(node, Arguments.of(node)))
    later = handed_on(node)
    if later is not None and _depth(later.func, held) == 0:
        call = as_call(later)
        if later.shape.more:
            call.keywords.append(ast.keyword(arg=None, value=ast.Name(id="more", ctx=ast.Load())))
        uses.calls.append(HeldCall(node, Arguments.of(call)))
        return
    match node:
        case ast.Call(func=ast.Name(id="map"), args=[function, _, *_]) if _depth(function, held) == 0:
            starred = any(isinstance(a, ast.Starred) for a in node.args)
            uses.calls.append(HeldCall(node, Arguments(len(node.args) - 1, (), starred)))
            return
        case ast.Call(func=ast.Attribute(value=several, attr=attr), args=[*_, value]) if attr in _FILLING:
            if (at := _depth(value, held)) is not None:
                uses.kept.update(_place(several, at + 1))
                return
        case ast.Call(func=ast.Attribute(value=several, attr="extend" | "update"), args=[value]):
            uses.kept.update(_place(several, at) if (at := _depth(value, held)) else ())
    for key, value in _given(node):
        if (at := _depth(value, held)) is not None:
            uses.handed.append(HandedOn(node, key, at))


def _given(node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    for place, argument in enumerate(node.args):
        if isinstance(argument, ast.Starred):
            break
        yield str(place), argument
    yield from ((k.arg, k.value) for k in node.keywords if k.arg)


def _place(target: ast.expr, depth: int) -> Iterator[tuple[str, int]]:
    """Yield what holds a value from now on that is put into a target: ``self.x``, or a name of the module."""
    match target:
        case ast.Subscript(value=several, slice=key):
            yield from _place_under(several, key, depth)
        case ast.Call(func=ast.Attribute(value=several, attr="get" | "setdefault"), args=[key, *_]):
            yield from _place_under(several, key, depth)
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=attr):
            yield f"self.{attr}", depth
        case ast.Name(id=name):
            yield name, depth


def _place_under(several: ast.expr, key: ast.expr, depth: int) -> Iterator[tuple[str, int]]:
    """The same for an element: that under a written key is a place of its own."""
    written = string(key)
    if written is None:
        yield from _place(several, depth + 1)
    else:
        yield from ((f"{place}[{written!r}]", at) for place, at in _place(several, depth))


def _held(nodes: tuple[ast.AST, ...], name: str, depth: int) -> Mapping[str, int]:
    """The names that hold it, each with its depth; a name that is bound several times is none of them."""
    held = {name: depth}
    stored = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    bindings = [pair for node in nodes for pair in _bindings(node) if stored[pair[0].id] == 1]
    for _ in range(_STEPS):
        before = len(held)
        for target, value, inward in bindings:
            at = _depth(value, held)
            if target.id not in held and at is not None and at >= inward:
                held[target.id] = at - inward
        if len(held) == before:
            break
    return held


def _bindings(node: ast.AST) -> Iterator[tuple[ast.Name, ast.expr, int]]:
    """The names that a node binds, each with the value it is of, or (1) with what it is an element of."""
    match node:
        case ast.Assign(targets=[ast.Name() as target], value=value):
            yield target, value, 0
        case ast.NamedExpr(target=target, value=value):
            yield target, value, 0
        case ast.For(target=target, iter=several) | ast.comprehension(target=target, iter=several):
            match target, several:
                case ast.Name(), _:
                    yield target, several, 1
                case (
                    ast.Tuple(elts=[_, ast.Name() as second]),
                    ast.Call(func=ast.Attribute(value=pairs, attr="items"), args=[])
                    | ast.Call(func=ast.Name(id="enumerate"), args=[pairs, *_]),
                ):
                    yield second, pairs, 1


def _depth(node: ast.expr, held: Mapping[str, int], steps: int = _STEPS) -> int | None:
    """At which depth an expression holds it; None where it does not."""
    name = _name(node)
    if name in held or not steps:
        return held.get(name)
    match node:
        case ast.Subscript(value=several, slice=ast.Slice()):
            return _depth(several, held, steps - 1)
        # What stands under a written key may be another one.
        case ast.Subscript(value=several, slice=key) if not isinstance(key, ast.Constant):
            return _element(several, held, steps)
        case ast.Call(func=ast.Attribute(value=several, attr=attr), args=given) if (
            attr in _ELEMENT and not any(map(string, given))
        ):
            return _element(several, held, steps)
        case ast.Call(func=ast.Attribute(value=several, attr="values" | "copy"), args=[]):
            return _depth(several, held, steps - 1) or None
        case ast.Call(func=ast.Name(id=alike), args=[several, *_]) if alike in _ALIKE:
            return _depth(several, held, steps - 1) or None
        case ast.Call(func=ast.Name(id="cast"), args=[_, value]):
            return _depth(value, held, steps - 1)
        case ast.BoolOp(op=ast.Or(), values=[value, *_]):
            return _depth(value, held, steps - 1)
        case ast.IfExp(test=test, body=value) if _is_given(test, _name(value)):
            return _depth(value, held, steps - 1)
    return None


def _name(node: ast.expr) -> str:
    """The place that an expression names: ``self.hooks['key']``."""
    match node:
        case ast.Subscript(value=several, slice=ast.Constant(value=str(key))):
            owner = _name(several)
            return f"{owner}[{key!r}]" if owner else ""
    name = dotted(node) or ""
    return f"self.{name[4:]}" if name.startswith("cls.") else name


def _element(several: ast.expr, held: Mapping[str, int], steps: int) -> int | None:
    at = _depth(several, held, steps - 1)
    return at - 1 if at else None


def _looks_inside(node: ast.AST) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name in _LOOKING


def _is_bound_anew(function: FunctionNode, nodes: tuple[ast.AST, ...], name: str) -> bool:
    """Whether a name is given another value than a default where it has none, or a parameter as it is."""
    own = {a for a in every_node(function.args) if isinstance(a, ast.arg)}
    if any(_is_argument(node, name) and node not in own for node in nodes):
        return True
    taken = {a.arg for a in own}
    harmless = {id(n) for node in nodes for n in _harmless_targets(node, name, taken)}
    return any(
        isinstance(node, ast.Name | ast.Attribute)
        and not isinstance(node.ctx, ast.Load)
        and _name(node) == name
        and id(node) not in harmless
        for node in nodes
    )


def _harmless_targets(node: ast.AST, name: str, taken: set[str]) -> Iterator[ast.AST]:
    match node:
        case ast.If(test=test, body=body) if _is_without(test, name):
            yield from (inner for statement in body for inner in every_node(statement))
        case (
            ast.Assign(targets=[target], value=value)
            | ast.AnnAssign(target=target, value=ast.expr() as value)
        ):
            match value:
                case ast.BoolOp(op=ast.Or(), values=[first, *_]):
                    value = first
                case ast.IfExp(test=test, body=first) if _is_given(test, _name(first)):
                    value = first
            plain, outside = _name(value), name not in taken
            begun = isinstance(value, ast.List | ast.Dict) or plain == name
            if begun or (outside and (isinstance(value, ast.Constant) or plain in taken)):
                yield target


def _is_given(test: ast.expr, name: str) -> bool:
    """Whether a condition says no more than that a name holds something."""
    match test:
        case ast.Compare(left=left, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return bool(name) and _name(left) == name
    return bool(name) and _name(test) == name


def _is_without(test: ast.expr, name: str) -> bool:
    """Whether a condition says that a name holds nothing."""
    match test:
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            return _name(left) == name
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _name(operand) == name
    return False


def _is_argument(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.arg) and node.arg == name


def _bound(nodes: tuple[ast.AST, ...]) -> set[str]:
    arguments = {n.arg for n in nodes if isinstance(n, ast.arg)} - {"self"}
    return arguments | {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _global(nodes: tuple[ast.AST, ...]) -> set[str]:
    return {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
