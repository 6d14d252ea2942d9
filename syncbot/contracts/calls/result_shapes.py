"""The result of a function, as far as its definition tells: a container, an object, what can be entered."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from types import GeneratorType

from syncbot.api.annotated_classes import named_class
from syncbot.api.every_node import every_node
from syncbot.api.expressions import expression
from syncbot.api.model import Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.annotation_differences import builtin_name
from syncbot.contracts.attributes.asked_of_values import surely_lacks
from syncbot.contracts.calls.results import result_length, tuple_length
from syncbot.contracts.calls.targets import Target
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.inference.declared_types import Declared, element, item
from syncbot.contracts.inference.named_tuples import tuple_fields

#: Built-in types by name.
TYPES: dict[str, type] = {
    **{t.__name__: t for t in (str, bytes, int, float, bool, list, tuple, dict, set, frozenset)},
    "generator": GeneratorType,
}
_GENERATORS = ("Generator", "Iterator", "AsyncGenerator", "AsyncIterator")
_ANYTHING = {"Any", "object", "None", "Self"}
_MAKERS = {"contextmanager": "with", "asynccontextmanager": "async with"}
_METHODS = {"with": "__enter__", "async with": "__aenter__"}
_AS_IT_IS = {"staticmethod", "classmethod"}
_LITERALS = (ast.Constant, ast.List, ast.ListComp, ast.Tuple, ast.Dict, ast.DictComp, ast.Set, ast.Compare)


@dataclass(frozen=True, slots=True)
class Shape:
    """A built-in type by name (a ``tuple`` of ``length``), an ``object`` of ``class_``, ``outside``: an
    object of the class ``written``, which is not upstream's, or ``unsaid``."""

    kind: str
    class_: Symbol | None = None
    length: int | None = None
    written: str = ""

    def __str__(self) -> str:
        if self.class_ is not None:
            named = f"an object of {self.class_.name}"
        else:
            named = f"a {self.written or self.kind}"
        return f"{named} of {self.length}" if self.length is not None else named


def shape_of(target: Target, universe: Universe, place: int | None = None) -> Shape | None:
    """Return what a function gives, as its annotation or else its return statements tell, or the part at a
    place of it, as its annotation tells; None where nothing does."""
    home = universe.resolve(target.symbol)
    if not target.functions or home is None:
        return None
    function = target.functions[-1]
    if place is not None:
        part = item(_declared(target), ast.Constant(place))
        return _annotated(ast.unparse(part.type), part.module, universe) if part is not None else None
    if function.is_generator:
        return Shape("generator")
    if function.annotation is not None:
        return _annotated(function.annotation, home.module, universe, result_length(function))
    shapes = {shape.partition("[")[0] for shape in function.returned}
    if shapes in ({"list"}, {"tuple"}):
        return Shape(shapes.pop(), length=result_length(function))
    if len(shapes) == 1 and (name := shapes.pop()).startswith("call "):
        made = name.removeprefix("call ")
        found = universe.local(home.module, made) if made != "?" else None
        return _object(found, universe) if found is not None and found.kind == "class" else None
    return None


def _declared(target: Target) -> Declared | None:
    """The annotation of what a function gives."""
    written = target.functions[-1].annotation if target.functions else None
    node = expression(written.strip("'\"")) if written else None
    return Declared(target.module, node) if node is not None else None


def _annotated(written: str, module: str, universe: Universe, length: int | None = None) -> Shape | None:
    name = named_class(written) or ""
    last = builtin_name(name.rpartition(".")[2])
    if last in TYPES:
        return Shape(last, length=length)
    if last in _GENERATORS:
        return Shape("generator")
    found = universe.annotation_class(module, written)
    if found is not None:
        return _object(found, universe)
    # Of several types, and of a variable of types, nothing is known.
    if name != written.strip("'\"") or len(last) < 2 or last in _ANYTHING:
        return None
    known = universe.local(module, name)
    return Shape("outside", written=name) if known is None or known.kind == "unknown" else None


def _object(found: Symbol, universe: Universe) -> Shape:
    """An instance of a class; a named tuple is a tuple too."""
    fields = tuple_fields(universe, found)
    return Shape("object", found) if fields is None else Shape("tuple", found, fields)


def element_length(target: Target) -> int | None:
    """The length of the tuples in the series that a function is declared to give."""
    each = element(_declared(target))
    return tuple_length(each.type) if each is not None else None


def entered_by(function: Function) -> str:
    """The statement, ``with`` or ``async with``, that enters what a decorator makes of a result."""
    last = function.decorators[-1].rpartition(".")[2] if function.decorators else ""
    return _MAKERS.get(last, "")


def not_entered(target: Target, by: str, universe: Universe) -> str | None:
    """In words what a function gives that a statement cannot enter; None where it may."""
    function = target.running[0]
    made = entered_by(function)
    if made:
        return None if made == by else f"what {made} enters"
    if function.unimplemented or set(function.decorators) - _AS_IT_IS:
        return None
    if function.is_generator:
        return "a generator"
    if function.is_async:
        return "a coroutine"
    if function.annotation is not None:
        name = builtin_name(function.annotation.strip("'\"").partition("[")[0])
        if (name in TYPES or name == "None") and "|" not in function.annotation:
            return function.annotation
        class_ = universe.annotation_class(target.module, function.annotation)
        lacks = class_ is not None and surely_lacks(universe, class_, _METHODS[by])
        return function.annotation if lacks else None
    return "a plain value" if _returns_literals(target, function, universe) else None


def _returns_literals(target: Target, function: Function, universe: Universe) -> bool:
    """Whether all that a function returns is written out."""
    owner = target.owner.qualname if target.owner is not None else ""
    node = function_node(universe, target.module, function, owner)
    inner = list(every_node(node)) if node is not None else []
    returned = [n.value for n in inner if isinstance(n, ast.Return)]
    return node is not None and all(v is None or isinstance(v, _LITERALS) for v in returned)
