"""Results of upstream's functions, and what the backend does with them: index, count, unpack, ask, enter."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from syncbot.api.universe import Universe
from syncbot.contracts.attributes.asked_of_values import may_have_unseen
from syncbot.contracts.calls.operations import newly_refused, shown
from syncbot.contracts.calls.result_shapes import (
    TYPES,
    Shape,
    element_length,
    entered_by,
    not_entered,
    shape_of,
)
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
from syncbot.contracts.kinds.calls import find_calls
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

_SCALARS = {"str", "bytes", "int", "float", "bool"}
_PLAIN = {"list", "tuple", "dict", "set", "frozenset"}
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
_STACKS = {"enter_context": "with", "enter_async_context": "async with"}
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultContract(Contract):
    """The result of ``call`` is used: ``index``, ``len``, ``next``, ``iterate``, ``contains``,
    ``spread``, ``unpack 2``, ``each 2``, ``attribute name``, ``part 0 attribute name``, ``enter with``,
    ``compute _ + int``."""

    call: CallContract
    uses: tuple[str, ...]


@finder(ast.Call)
def find_results(node: ast.Call, context: Context) -> Iterator[ResultContract]:
    """Calls of upstream functions with a use of what they return, there or through local variables."""
    given, parents = takers(node, context.parents)
    if not parents or not isinstance(parents[-1], (*USING, *_LOOPS, ast.withitem)):
        return
    if catches_attribute_error(parents, given, ("TypeError", "AttributeError")):
        return
    for call in find_calls(node, context):
        uses = tuple(dict.fromkeys(_uses(given, parents, context)))
        if uses:
            yield ResultContract(symbol=call.symbol, call=call, uses=uses, place=call.place)


def _uses(result: ast.expr, parents: Sequence[ast.AST], context: Context) -> Iterator[str]:
    """How a result is used, there or through the names that it is given; of what is tested, or used by the
    version, nothing is told."""
    yield from each_use(result, parents)
    match parents[-1]:
        case ast.withitem(context_expr=entered) if entered is result:
            yield "enter async with" if isinstance(parents[-2], ast.AsyncWith) else "enter with"
        case ast.Call(func=ast.Attribute(attr=attr), args=[entered]) if entered is result and attr in _STACKS:
            yield f"enter {_STACKS[attr]}"
        case ast.For() | ast.AsyncFor() | ast.comprehension() as loop if loop.iter is result:
            targets = loop.target.elts if isinstance(loop.target, ast.Tuple | ast.List) else []
            if targets and not any(isinstance(target, ast.Starred) for target in targets):
                yield f"each {len(targets)}"
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            yield from _of_name(name, context)
        case ast.Assign(targets=[ast.Tuple(elts=parts)]) if not any(
            isinstance(p, ast.Starred) for p in parts
        ):
            names = [(place, part.id) for place, part in enumerate(parts) if isinstance(part, ast.Name)]
            for place, name in names:
                uses = (use for use in _of_name(name, context) if use.startswith("attribute "))
                yield from (f"part {place} {use}" for use in uses)


def _of_name(name: str, context: Context) -> Sequence[str]:
    """How a local variable is used that is given one value, and perhaps None before."""
    function = context.function
    if function is None or name in tested_in(function) or name in used_by_version(function):
        return ()
    values = context.scope.values.get(name, ())
    known = [v for v in values if not (isinstance(v, ast.Constant) and v.value is None)]
    return uses_in(function).get(name, ()) if len(known) == 1 else ()


@judge(ResultContract)
def judge_result(contract: ResultContract, pair: Comparison) -> Iterator[Finding]:
    """The result, its elements or a part of it are of another kind, which does not allow the use."""
    before, after = reached_in(contract.call, pair)
    if before is None or after is None:
        return
    for use in contract.uses:
        what, _, detail = use.partition(" ")
        kind, ground = ChangeKind.RETURN_KIND_CHANGED, Ground.RESULT_OF_OTHER_KIND
        if what == "enter":
            said = _newly_not_entered(before, after, detail, pair)
        elif what == "each":
            kind, ground = ChangeKind.RETURN_SHAPE_CHANGED, Ground.WRONG_LENGTH
            said = _of_other_length(int(detail), before, after)
        else:
            said = _of_other_kind(use, before, after, pair)
        if said is not None:
            yield Finding(contract, kind, after.symbol, ground, f"{after.symbol}() {said}")
            return


def _newly_not_entered(before: Target, after: Target, by: str, pair: Comparison) -> str | None:
    if len(before.running) != 1 or len(after.running) != 1 or entered_by(before.running[0]) != by:
        return None
    given = not_entered(after, by, pair.new)
    return f"gave what {by} enters; now it gives {given}" if given is not None else None


def _of_other_length(targets: int, before: Target, after: Target) -> str | None:
    was, now = element_length(before), element_length(after)
    if was != targets or now is None or now == was:
        return None
    return f"returned elements of {was} values each, and now returns them of {now}"


def _of_other_kind(use: str, before: Target, after: Target, pair: Comparison) -> str | None:
    place, of = None, ""
    if use.startswith("part "):
        _, number, use = use.split(" ", 2)
        place, of = int(number), f" as value {int(number) + 1}"
    was, now = shape_of(before, pair.old, place), shape_of(after, pair.new, place)
    if was is None and place is None:
        was = _unsaid(before, after)
    if was is None or now is None or now.kind == "outside" or _same(was, now):
        return None
    wrong = _wrong(use, was, now, pair)
    returned = f"returned {was}{of} and " if was.kind != "unsaid" else ""
    return f"{returned}now returns {now}{of}, {wrong}" if wrong is not None else None


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
    type_ = TYPES.get(shape.kind)
    return type_ is not None and any(hasattr(type_, method) for method in _ALLOWING[use])


def _lacks(name: str, was: Shape, now: Shape, pair: Comparison) -> bool:
    """Whether an attribute that the old result had, or may have had, is no attribute of the new one."""
    lacks = not _has(now, name, pair.new) if now.class_ else not hasattr(TYPES.get(now.kind, object), name)
    if now.kind in _SCALARS or (was.kind == "outside" and now.kind in _PLAIN and now.class_ is None):
        return lacks and (was.kind not in TYPES or hasattr(TYPES[was.kind], name))
    if was.class_ is None and was.kind in _PLAIN and now.kind != "generator":
        return lacks and hasattr(TYPES[was.kind], name)
    return lacks and was.class_ is not None and _has(was, name, pair.old, known=True)


def _not_unpacked(targets: int, was: Shape, now: Shape, pair: Comparison) -> str | None:
    # Plain tuples of another length are found where calls are judged.
    longer = now.kind == "tuple" and now.class_ is not None and now.length is not None
    return f"which does not unpack into {targets}" if longer and was.length == targets != now.length else None


def _unsaid(before: Target, after: Target) -> Shape | None:
    """Return what a function that does something else now returned, where nothing said it."""
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
