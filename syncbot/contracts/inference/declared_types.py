"""Types that say more than a class: containers, and what stands in them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from syncbot.api.expressions import dotted, expression, string

#: What is iterated over gives its one type argument.
_SEVERAL = {
    *(
        "list",
        "List",
        "set",
        "Set",
        "frozenset",
        "FrozenSet",
        "deque",
        "Deque",
        "Sequence",
        "MutableSequence",
    ),
    *("Iterable", "Iterator", "Collection", "Generator", "AbstractSet", "MutableSet", "Reversible"),
    *("KeysView", "ValuesView", "AsyncIterator", "AsyncIterable", "AsyncGenerator"),
}
#: What is subscripted gives the last of its two type arguments, what is iterated over the first.
_MAPPINGS = {
    *("dict", "Dict", "defaultdict", "DefaultDict", "OrderedDict", "Mapping", "MutableMapping"),
}
_TUPLES = {"tuple", "Tuple"}
_SAME = {"list", "sorted", "reversed", "tuple", "set", "iter", "copy", "deque"}
_GIVING_ELEMENTS = {"pop", "popleft", "get", "setdefault"}
#: What holds one object, or one after the other, and the methods that give it.
_HOLDERS = {
    **dict.fromkeys(("Queue", "LifoQueue", "PriorityQueue", "SimpleQueue"), ("get", "get_nowait")),
    **dict.fromkeys(("Future", "Task"), ("result",)),
    "ContextVar": ("get",),
}
#: Functions of asyncio that give what the coroutine gives that they are passed, or a task of it.
_RUNNING = {"run", "wait_for", "shield", "create_task", "ensure_future"}
#: What is called gives its one type argument.
_REFERENCES = {"ref", "ReferenceType"}


@dataclass(frozen=True, slots=True)
class Declared:
    """A type as it is written in a module."""

    module: str
    type: ast.expr


#: What an expression is declared to be; None where nothing says so.
Ask = Callable[[ast.expr], "Declared | None"]


def written(module: str, annotation: str | None) -> Declared | None:
    """The type that an annotation of a module names."""
    node = expression(annotation) if annotation else None
    return Declared(module, node) if node is not None else None


def element(declared: Declared | None) -> Declared | None:
    """Return what iterating over a container gives; over one of several, what each of them does."""
    if (several := _of_union(declared)) is not None:
        return either([element(each) for each in several])
    found = _parts(declared)
    if declared is None or found is None:
        return None
    head, arguments = found
    if head in _TUPLES:
        return Declared(declared.module, arguments[0]) if _is_endless(arguments) else None
    return Declared(declared.module, arguments[0]) if head in _SEVERAL | _MAPPINGS else None


def item(declared: Declared | None, key: ast.expr) -> Declared | None:
    """Return what subscribing a container gives; one of several, what each of them does."""
    if (several := _of_union(declared)) is not None:
        return either([item(each, key) for each in several])
    found = _parts(declared)
    if declared is None or found is None:
        return None
    if isinstance(key, ast.Slice):
        return declared if found[0] not in _MAPPINGS else None
    head, arguments = found
    if head in _MAPPINGS:
        return Declared(declared.module, arguments[1]) if len(arguments) == 2 else None
    if head not in _TUPLES or _is_endless(arguments):
        return element(declared)
    match key:
        case ast.Constant(value=int(place)) if place < len(arguments):
            return Declared(declared.module, arguments[place])
    return None


def called(node: ast.Call, ask: Ask) -> Declared | None:
    """Return what a call of a built-in function, or of a container's own method, gives."""
    match node:
        case ast.Call() if (several := looped(node)) is not None:
            return element(ask(several))
        case ast.Call(func=ast.Name(id="next"), args=[several, *_]):
            return element(ask(several))
        case ast.Call(func=ast.Name(id="max" | "min"), args=[several]):
            return element(ask(several))
        case ast.Call(func=ast.Name(id="filter"), args=[_, several]):
            return several_of([element(ask(several))])
        case ast.Call(func=ast.Name(id="enumerate"), args=[several, *_]):
            return _of_pairs([None, element(ask(several))])
        case ast.Call(func=ast.Name(id="chain") | ast.Attribute(attr="chain"), args=[_, *_] as several):
            return several_of([element(ask(each)) for each in several])
        case ast.Call(func=ast.Name(id="zip"), args=several):
            return _of_pairs([element(ask(each)) for each in several])
        case ast.Call(func=ast.Name(id=name), args=[several, *_]) if name in _SAME:
            return several_of([element(ask(several))])
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="asyncio"), attr="gather"), args=[_, *_] as several
        ):
            return several_of([ask(each) for each in several])
        case ast.Call(func=ast.Attribute(value=value, attr=attr) as func):
            return _of_method(ask(value), attr) or result_of(ask(func))
        case ast.Call(func=func):
            return result_of(ask(func))
    return None


def result_of(declared: Declared | None) -> Declared | None:
    """Return what calling something gives that is declared as ``Callable[…, X]`` or ``ref[X]``."""
    match _parts(declared):
        case ("Callable", [_, result]) if declared is not None:
            return Declared(declared.module, result)
        case (head, [held]) if declared is not None and head in _REFERENCES:
            return Declared(declared.module, held)
    return None


def cast_type(call: ast.Call) -> ast.expr | None:
    """The type that ``cast`` is told, out of its quotes; None for another call."""
    match call:
        case ast.Call(
            func=ast.Name(id="cast") | ast.Attribute(attr="cast", value=ast.Name(id="typing")),
            args=[target, _],
        ):
            text = string(target)
            return expression(text) if text is not None else target
    return None


def gives_element(func: ast.expr) -> bool:
    """Whether what is called may give what stands in a container."""
    match func:
        case ast.Name(id=name):
            return name in ("next", "max", "min")
        case ast.Attribute(attr=attr):
            return attr in _GIVING_ELEMENTS or any(attr in giving for giving in _HOLDERS.values())
    return False


def passed_through(call: ast.Call) -> ast.expr | None:
    """Return what a call gives as it is that runs a coroutine, or enters what it is given."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="asyncio"), attr=attr), args=[given, *_]):
            return given if attr in _RUNNING else None
        case ast.Call(func=ast.Attribute(attr="run_until_complete"), args=[given]):
            return given
        case ast.Call(func=ast.Attribute(attr="enter_context"), args=[manager]):
            return entered(manager, "__enter__")
        case ast.Call(func=ast.Attribute(attr="enter_async_context"), args=[manager]):
            return entered(manager, "__aenter__")
    return None


def each(target: ast.expr, several: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that a loop binds, each with an expression for what it is."""
    nothing: list[ast.keyword] = []
    begun = ast.Call(func=ast.Name(id="iter"), args=[several], keywords=nothing)
    yield from unpacked(target, ast.Call(func=ast.Name(id="next"), args=[begun], keywords=nothing))


def looped(node: ast.Call) -> ast.expr | None:
    """Return what is iterated over where an expression is that of :func:`each`."""
    match node:
        case ast.Call(func=ast.Name(id="next"), args=[ast.Call(func=ast.Name(id="iter"), args=[several])]):
            return several
    return None


def entered(manager: ast.expr, method: str) -> ast.expr:
    """An expression for what a ``with`` statement binds: what that method of its manager gives."""
    nothing: list[ast.keyword] = []
    return ast.Call(func=ast.Attribute(value=manager, attr=method), args=[], keywords=nothing)


def unpacked(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that a target binds, each with an expression for what it is; none behind a star."""
    match target:
        case ast.Name(id=name):
            yield name, value
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            written = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(parts) else None
            for place, part in enumerate(parts):
                if isinstance(part, ast.Starred):
                    return
                one = written[place] if written is not None else _at(value, place)
                yield from unpacked(part, one)


def _at(value: ast.expr, place: int) -> ast.expr:
    return ast.Subscript(value=value, slice=ast.Constant(value=place))


def _of_method(declared: Declared | None, name: str) -> Declared | None:
    """Return what a container's own method gives."""
    found = _parts(declared)
    if declared is None or found is None:
        return None
    head, arguments = found
    if name == "copy":
        return declared
    if head in _MAPPINGS and len(arguments) == 2:
        key, value = (Declared(declared.module, argument) for argument in arguments)
        if name in _GIVING_ELEMENTS:
            return value
        return {
            "keys": _generic("list", [key]),
            "values": _generic("list", [value]),
            "items": _of_pairs([key, value]),
        }.get(name)
    if name in _HOLDERS.get(head, ()) and len(arguments) == 1:
        return Declared(declared.module, arguments[0])
    return element(declared) if name in ("pop", "popleft") and head in _SEVERAL else None


def several_of(types: Sequence[Declared | None]) -> Declared | None:
    """A list of what is of these types: None where they are not all known and the same."""
    written = {(t.module, ast.unparse(t.type)) if t is not None else None for t in types}
    return _generic("list", [types[0]]) if len(written) == 1 else None


def either(types: Sequence[Declared | None]) -> Declared | None:
    """A union of these types: None where one is not known, or of another module."""
    known = {ast.unparse(t.type): t for t in types if t is not None}
    if None in types or len({t.module for t in known.values()}) != 1:
        return None
    first, *others = known.values()
    whole = first.type
    for other in others:
        whole = ast.BinOp(left=whole, op=ast.BitOr(), right=other.type)
    return Declared(first.module, whole)


def _of_union(declared: Declared | None) -> list[Declared] | None:
    """The members of a union, None left out; None for any other type, and where but one is left."""
    if declared is None:
        return None
    match declared.type:
        case ast.BinOp(op=ast.BitOr()) as node:
            members = _joined(node)
        case ast.Subscript(value=value, slice=ast.Tuple(elts=members)) if (dotted(value) or "").endswith(
            "Union"
        ):
            pass
        case _:
            return None
    found = [m for m in members if not (isinstance(m, ast.Constant) and m.value is None)]
    return [Declared(declared.module, m) for m in found] if len(found) > 1 else None


def _joined(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [*_joined(left), *_joined(right)]
    return [node]


def side_by_side(types: Sequence[Declared | None]) -> Declared | None:
    """A tuple of what is of these types; of what is not of the first known one's module nothing is told."""
    return _generic("tuple", types)


def by_key(key: Declared | None, value: Declared | None) -> Declared | None:
    """A dictionary of what is of these types; of what is not of the value's module nothing is told."""
    if value is None:
        return None
    first = key.type if key is not None and key.module == value.module else ast.Name(id="object")
    written = ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[first, value.type]))
    return Declared(value.module, written)


def _of_pairs(types: list[Declared | None]) -> Declared | None:
    """A list of tuples: types of another module than the first known one's are not told."""
    return _generic("list", [_generic("tuple", types)])


def _generic(head: str, arguments: Sequence[Declared | None]) -> Declared | None:
    known = next((a for a in arguments if a is not None), None)
    if known is None:
        return None
    unknown = ast.Name(id="object")
    inside = [a.type if a is not None and a.module == known.module else unknown for a in arguments]
    slices = ast.Tuple(elts=inside) if head == "tuple" else inside[0]
    return Declared(known.module, ast.Subscript(value=ast.Name(id=head), slice=slices))


def _parts(declared: Declared | None) -> tuple[str, list[ast.expr]] | None:
    """The name and the type arguments of a generic type, through quotes, Optional and ``| None``."""
    node = declared.type if declared is not None else None
    match node:
        case ast.Constant(value=str(text)) if declared is not None:
            inner = expression(text)
            return _parts(Declared(declared.module, inner)) if inner is not None else None
        case ast.BinOp(left=left, op=ast.BitOr(), right=right) if declared is not None:
            others = [n for n in (left, right) if not (isinstance(n, ast.Constant) and n.value is None)]
            return _parts(Declared(declared.module, others[0])) if len(others) == 1 else None
        case ast.Subscript(value=value, slice=inside) if declared is not None:
            head = (dotted(value) or "").rpartition(".")[2]
            if head in ("Optional", "Final", "ClassVar", "Annotated"):
                first = inside.elts[0] if isinstance(inside, ast.Tuple) else inside
                return _parts(Declared(declared.module, first))
            return head, list(inside.elts) if isinstance(inside, ast.Tuple) else [inside]
    return None


def _is_endless(arguments: list[ast.expr]) -> bool:
    return len(arguments) == 2 and isinstance(arguments[1], ast.Constant) and arguments[1].value is ...
