"""Results of the backend's functions that stand in for upstream ones."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.model import Function
from syncbot.contracts.annotation_differences import other_type, part_of_tuple
from syncbot.contracts.calls.results import result_length
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding


def compare_results(
    contract: Contract,
    ours: Function,
    old: Function,
    new: Function,
    symbol: str,
    *,
    by_itself: bool = False,
    plain: bool = False,
) -> Iterator[Finding]:
    """Yield what ours still returns as the ``old`` function did, and the ``new`` one, ``symbol``, does not;
    ``by_itself``: no function of upstream's gives ours its result; ``plain``: ours gives a text or number in
    place of an object."""
    # Where the same body has another annotation now, it returns what it did.
    seen = not new.returned or old.body != new.body
    was, now = (_lengths(old), _lengths(new)) if seen else (_written_lengths(old), _written_lengths(new))
    shape = ChangeKind.RETURN_SHAPE_CHANGED
    if was and now and was.isdisjoint(now) and _lengths(ours) and _lengths(ours).issubset(was):
        reason = f"{symbol}() returned {_words(was)} values and now returns {_words(now)}, as this does not"
        sure = by_itself or bool(_written_lengths(ours))
        # What is declared here stays so where upstream gives something else to be handed on.
        ground = Ground.RESULT_NOT_GIVEN if sure else Ground.DECLARED
        yield Finding(contract, shape, symbol, ground, reason)
        return
    nothing = {"none"}
    returned_nothing = old.annotation == "None" or (old.annotation is None and set(old.returned) <= nothing)
    returns_something = new.annotation not in (None, "None", "NoReturn")
    if returned_nothing and returns_something and set(ours.returned) <= nothing and not new.is_generator:
        reason = f"{symbol}() returned nothing and now returns {new.annotation}, as this does not"
        ground = Ground.SIGNATURE_REQUIRES
        # Where the same body is only annotated now, nothing says that it returned nothing before.
        only_said = old.annotation is None and old.body == new.body
        if _may_be_nothing(new.annotation or "") or only_said:
            ground = Ground.DECLARED
        yield Finding(contract, shape, symbol, ground, reason)
        return
    yield from _other_type(contract, ours, old, new, symbol, plain)


def _other_type(
    contract: Contract, ours: Function, old: Function, new: Function, symbol: str, plain: bool
) -> Iterator[Finding]:
    """Upstream's callers read what ours returns as they read the new result."""
    if _hands_on(ours, new.name):
        return
    surprising = other_type(new.annotation, old.annotation) in ("type", "elements")
    if surprising and (ours.annotation is None or other_type(new.annotation, ours.annotation) is not None):
        reason = f"{symbol}() was declared to return {old.annotation} and now to return {new.annotation}"
        as_before = ours.annotation is not None and ours.annotation == old.annotation
        in_tuple = as_before and part_of_tuple(old.annotation, new.annotation) is not None
        ground = Ground.RESULT_NOT_GIVEN if in_tuple or plain else Ground.DECLARED
        yield Finding(contract, ChangeKind.RETURN_TYPE_CHANGED, symbol, ground, reason)


def _hands_on(ours: Function, name: str) -> bool:
    """Whether ours returns what upstream's own does, whatever it declares."""
    return bool(ours.returned) and set(ours.returned) == {f"call super().{name}"}


def _may_be_nothing(annotation: str) -> bool:
    """Whether an annotation lets a function return nothing."""
    return "None" in annotation or annotation.strip("'\"").removeprefix("typing.").startswith("Optional[")


def _lengths(function: Function) -> set[str]:
    """The lengths of the tuples that a function writes out, or else the one that it declares."""
    written = _written_lengths(function)
    declared = None if written or "none" in function.returned else result_length(function)
    return written if declared is None else {f"tuple[{declared}]"}


def _written_lengths(function: Function) -> set[str]:
    return {s for s in function.returned if s.startswith("tuple[")}


def _words(lengths: set[str]) -> str:
    return "/".join(sorted(s[6:-1] for s in lengths))
