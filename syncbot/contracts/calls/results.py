"""The result of a call, compared: another length, another type, a coroutine."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from syncbot.api.expressions import dotted, expression
from syncbot.api.methods import gives_coroutine
from syncbot.api.model import Function
from syncbot.contracts.annotation_differences import part_of_tuple
from syncbot.contracts.calls.targets import CallContract, Target
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Finding


def other_result(
    contract: CallContract, before: Target, after: Target, pair: Comparison
) -> Iterator[Finding]:
    """The result has another length than what it is unpacked into, another type, or is awaited wrongly."""
    if not before.functions or not after.functions:
        return
    old, new = before.functions[-1], after.functions[-1]
    shape = ChangeKind.RETURN_SHAPE_CHANGED
    if contract.unpack is not None:
        was, now = result_length(old), result_length(new)
        if was == contract.unpack and now is not None and now != was:
            reason = f"{after.symbol}() returned {was} values and now returns {now}"
            yield Finding(contract, shape, after.symbol, Ground.WRONG_LENGTH, reason)
            return
    if (awaited := _awaited_otherwise(contract.awaited, old, new)) is not None:
        now_is = "a coroutine function" if awaited else "no coroutine function any more"
        reason = f"{after.symbol}() is now {now_is}"
        kind, ground = ChangeKind.ASYNC_CHANGED, Ground.AWAITED_WRONGLY
        yield Finding(contract, kind, after.symbol, ground, reason)
        return
    if not contract.used or old.annotation == new.annotation:
        return
    # As many values as before may be others.
    if contract.unpack is not None and {result_length(old), result_length(new)} != {contract.unpack}:
        return
    if new.annotation == "None" and old.annotation is not None:
        reason = f"{after.symbol}() returned {old.annotation} and now returns nothing"
        yield Finding(contract, shape, after.symbol, Ground.RESULT_NOT_GIVEN, reason)
    elif _surprising(before, after, pair):
        reason = (
            f"{after.symbol}() was declared to return {old.annotation} and now to return {new.annotation}"
        )
        place = part_of_tuple(old.annotation, new.annotation) if contract.taken else None
        ground = Ground.DECLARED if place is None else Ground.RESULT_OF_OTHER_KIND
        reason += f", of which value {place + 1} is what it was" if place is not None else ""
        yield Finding(contract, ChangeKind.RETURN_TYPE_CHANGED, after.symbol, ground, reason)


def _awaited_otherwise(is_awaited: bool, old: Function, new: Function) -> bool | None:
    """Whether what was called rightly gives a coroutine now; None where that is as it was."""
    was, now = gives_coroutine(old), gives_coroutine(new)
    # What made a context manager is told where it is entered.
    entered = any(d.endswith("contextmanager") for d in old.decorators)
    other = was != now and True in (was, now) and not entered
    return now is True if other and is_awaited is (was is True) else None


def _surprising(before: Target, after: Target, pair: Comparison) -> bool:
    """Whether the result is declared to be something that it was not: no subclass of it either."""
    homes = pair.old.resolve(before.symbol), pair.new.resolve(after.symbol)
    was, now = before.functions[-1].annotation, after.functions[-1].annotation
    if homes[0] is None or homes[1] is None:
        return False
    if pair.other_type((homes[0].module, was), (homes[1].module, now)) is None:
        return False
    found = pair.new.local(homes[1].module, (now or "").strip("'\""))
    lineage = pair.new.lineage(found).classes if found is not None and found.kind == "class" else ()
    return all(c.qualname != (was or "").strip("'\"").rpartition(".")[2] for c in lineage)


def result_length(function: Function) -> int | None:
    """The length of the tuple that a function always returns, None where it does not or cannot be told."""
    if function.annotation is not None:
        length = _annotated_length(function.annotation)
        if length is not None:
            return length
    lengths = {shape for shape in function.returned if shape.startswith("tuple[")}
    if len(lengths) == 1 and len(function.returned) == 1:
        return int(next(iter(lengths))[6:-1])
    return None


def _annotated_length(annotation: str) -> int | None:
    written = expression(annotation)
    return tuple_length(written) if written is not None else None


def tuple_length(annotation: ast.expr) -> int | None:
    """The length of the tuples that an annotation means, None where it means none, or any."""
    match annotation:
        case ast.Subscript(value=type_, slice=ast.Tuple(elts=elements)) if _is_tuple(type_):
            endless = any(isinstance(e, ast.Constant) and e.value is ... for e in elements)
            return None if endless else len(elements)
        case ast.Subscript(value=type_) if _is_tuple(type_):
            return 1
        case ast.Subscript(value=type_, slice=ast.Tuple(elts=members)) if _last_name(type_) == "Union":
            return _common_length(members)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _common_length((left, right))
    return None


def _common_length(members: Iterable[ast.expr]) -> int | None:
    """The length that all tuples of a union have; None where one may be no tuple."""
    lengths = {tuple_length(member) for member in members}
    return lengths.pop() if len(lengths) == 1 else None


def _is_tuple(type_: ast.expr) -> bool:
    return _last_name(type_) in ("tuple", "Tuple")


def _last_name(type_: ast.expr) -> str:
    return (dotted(type_) or "").rpartition(".")[2]
