"""What the backend does with the result of an upstream function: index it, count it, unpack it, ask it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import GeneratorType

from syncbot.api.annotated_classes import named_class
from syncbot.api.model import Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.annotation_differences import builtin_name
from syncbot.contracts.attributes.asked_of_values import may_have_unseen
from syncbot.contracts.calls.operations import newly_refused, shown
from syncbot.contracts.calls.results import result_length
from syncbot.contracts.calls.targets import CallContract, Target, reached_in
from syncbot.contracts.calls.uses_of_names import (
    COMPUTING,
    USING,
    each_use,
    takers,
    tested_in,
    used_by_version,
    uses_in,
)
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.named_tuples import tuple_fields
from syncbot.contracts.kinds.calls import find_calls
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

_SCALARS: dict[str, type] = {"str": str, "bytes": bytes, "int": int, "float": float, "bool": bool}
_PLAIN: dict[str, type] = {"list": list, "tuple": tuple, "dict": dict, "set": set, "frozenset": frozenset}
_TYPES = {**_SCALARS, **_PLAIN, "generator": GeneratorType}
_GENERATORS = ("Generator", "Iterator", "AsyncGenerator", "AsyncIterator")
_SHOWN = {
    "index": "indexed",
    "len": "counted",
    "next": "given to next()",
    "iterate": "iterated over",
    "contains": "searched",
    "spread": "given with two stars",
}
# The methods each of which allows a use.
_ALLOWING = {
    "index": ("__getitem__",),
    "len": ("__len__",),
    "iterate": ("__iter__", "__getitem__"),
    "contains": ("__contains__", "__iter__", "__getitem__"),
    "spread": ("keys",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultContract(Contract):
    """The result of ``call`` is used: ``index``, ``len``, ``next``, ``iterate``, ``contains``,
    ``spread``, ``unpack 2``, ``attribute name``, ``compute _ + int``."""

    call: CallContract
    uses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """``list``, ``tuple`` (of ``length``), ``dict``, ``generator``, ``object`` of ``class_``, a plain
    type, or ``unsaid``."""

    kind: str
    class_: Symbol | None = None
    length: int | None = None

    def __str__(self) -> str:
        named = f"an object of {self.class_.name}" if self.class_ is not None else f"a {self.kind}"
        return f"{named} of {self.length}" if self.length is not None else named


@finder(ast.Call)
def find_results(node: ast.Call, context: Context) -> Iterator[ResultContract]:
    """Calls of upstream functions with a use of what they return, there or through a local variable."""
    given, parents = takers(node, context.parents)
    if not parents or not isinstance(parents[-1], USING):
        return
    if catches_attribute_error(parents, given, ("TypeError", "AttributeError")):
        return
    for call in find_calls(node, context):
        uses = tuple(dict.fromkeys(_uses(given, parents, context)))
        if uses:
            yield ResultContract(symbol=call.symbol, call=call, uses=uses, place=call.place)


def _uses(result: ast.expr, parents: Sequence[ast.AST], context: Context) -> Iterator[str]:
    """How a result is used, there or through the one name that it is given; of what is tested, or used by the
    version, nothing is told."""
    yield from each_use(result, parents)
    match parents[-1]:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            function = context.function
            if function is not None and len(context.scope.values.get(name, ())) == 1:
                told_apart = name in tested_in(function) or name in used_by_version(function)
                yield from uses_in(function).get(name, ()) if not told_apart else ()


@judge(ResultContract)
def judge_result(contract: ResultContract, pair: Comparison) -> Iterator[Finding]:
    """The result is of another kind, which does not allow the use."""
    before, after = reached_in(contract.call, pair)
    if before is None or after is None:
        return
    was, now = _shape(before, pair.old), _shape(after, pair.new)
    if was is None:
        was = _unsaid(before, after)
    if was is None or now is None or _same(was, now):
        return
    for use in contract.uses:
        wrong = _wrong(use, was, now, pair)
        if wrong is not None:
            returned = f"returned {was} and " if was.kind != "unsaid" else ""
            reason = f"{after.symbol}() {returned}now returns {now}, {wrong}"
            kind, ground = ChangeKind.RETURN_KIND_CHANGED, Ground.RESULT_OF_OTHER_KIND
            yield Finding(contract, kind, after.symbol, ground, reason)
            return


def _wrong(use: str, was: Shape, now: Shape, pair: Comparison) -> str | None:
    """Why a use that the old result allowed is not allowed by the new one."""
    what, _, detail = use.partition(" ")
    if what in _ALLOWING and _allows(was, what, pair.old) and not _allows(now, what, pair.new):
        return f"which cannot be {_SHOWN[what]}"
    if use.startswith(COMPUTING):
        step = newly_refused(tuple(use.removeprefix(COMPUTING).split("|")), was.kind, now.kind)
        return f"for which {shown(step)} fails" if step else None
    if what == "next" and was.kind == "generator" and now.kind in _PLAIN:
        return "which cannot be given to next()"
    if what == "unpack" and _allows(was, "iterate", pair.old) and not _allows(now, "iterate", pair.new):
        return "which cannot be unpacked"
    if what == "unpack" and was.kind == "tuple":
        return _not_unpacked(int(detail), was, now, pair)
    lacks = what == "attribute" and _lacks(detail, was, now, pair)
    return f"which has no {detail}" if lacks else None


def _allows(shape: Shape, use: str, universe: Universe) -> bool:
    """Whether a result allows a use."""
    if shape.kind == "object":
        return any(_has(shape, method, universe) for method in _ALLOWING[use])
    type_ = _TYPES.get(shape.kind)
    return type_ is not None and any(hasattr(type_, method) for method in _ALLOWING[use])


def _lacks(name: str, was: Shape, now: Shape, pair: Comparison) -> bool:
    """Whether an attribute that the old result had, or may have had, is no attribute of the new one."""
    if now.kind in _SCALARS:
        allowed = was.kind not in _TYPES or hasattr(_TYPES[was.kind], name)
        return allowed and not hasattr(_SCALARS[now.kind], name)
    if was.class_ is None and was.kind in _PLAIN and now.kind != "generator":
        lacks = not _has(now, name, pair.new) if now.class_ else not hasattr(_TYPES[now.kind], name)
        return hasattr(_PLAIN[was.kind], name) and lacks
    if was.class_ is None or not _has(was, name, pair.old, known=True):
        return False
    return not _has(now, name, pair.new) if now.class_ else not hasattr(_TYPES[now.kind], name)


def _not_unpacked(targets: int, was: Shape, now: Shape, pair: Comparison) -> str | None:
    # Plain tuples of another length are found where calls are judged.
    longer = now.kind == "tuple" and now.class_ is not None and now.length is not None
    return f"which does not unpack into {targets}" if longer and was.length == targets != now.length else None


def _unsaid(before: Target, after: Target) -> Shape | None:
    """What a function that does something else now returned, where nothing said it."""
    if not before.functions or not after.functions or before.functions[-1].annotation is not None:
        return None
    return Shape("unsaid") if before.functions[-1].body != after.functions[-1].body else None


def _same(was: Shape, now: Shape) -> bool:
    """Whether two results are of the same kind; what changed in one class is found where it is used."""
    if was.class_ is not None and now.class_ is not None:
        return was.class_.qualname == now.class_.qualname and was.kind == now.kind
    return was == now


def _has(shape: Shape, name: str, universe: Universe, known: bool = False) -> bool:
    """Whether an object has a member, or (unless it has to be ``known``) may have one nobody can see."""
    class_ = shape.class_
    if class_ is None:
        return False
    return universe.member(class_, name) is not None or (
        not known and may_have_unseen(universe, class_, name)
    )


def _shape(target: Target, universe: Universe) -> Shape | None:
    """What a function returns, as its annotation or else its return statements tell."""
    home = universe.resolve(target.symbol)
    if not target.functions or home is None:
        return None
    function = target.functions[-1]
    if function.is_generator:
        return Shape("generator")
    if function.annotation is not None:
        return _annotated(function, home.module, universe)
    shapes = {shape.partition("[")[0] for shape in function.returned}
    if shapes in ({"list"}, {"tuple"}):
        return Shape(shapes.pop(), length=result_length(function))
    if len(shapes) == 1 and (name := shapes.pop()).startswith("call "):
        made = name.removeprefix("call ")
        found = universe.local(home.module, made) if made != "?" else None
        return _object(found, universe) if found is not None and found.kind == "class" else None
    return None


def _annotated(function: Function, module: str, universe: Universe) -> Shape | None:
    last = builtin_name((named_class(function.annotation or "") or "").rpartition(".")[2])
    if last in _PLAIN or last in _SCALARS:
        return Shape(last, length=result_length(function))
    if last in _GENERATORS:
        return Shape("generator")
    found = universe.annotation_class(module, function.annotation)
    return _object(found, universe) if found is not None else None


def _object(found: Symbol, universe: Universe) -> Shape:
    """An instance of a class; a named tuple is a tuple too."""
    fields = tuple_fields(universe, found)
    return Shape("object", found) if fields is None else Shape("tuple", found, fields)
