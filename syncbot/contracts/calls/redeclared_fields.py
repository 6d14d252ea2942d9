"""Fields that the constructor of a class keeps as they are given, and that are declared otherwise now."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.annotated_classes import named_class
from syncbot.api.signatures import Signature
from syncbot.contracts.annotation_differences import builtin_name, named
from syncbot.contracts.calls.declared_arguments import allowed, parameter
from syncbot.contracts.calls.targets import CallContract, Target
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Annotated, Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Finding

_NUMBERS = {"bool", "int", "float", "complex"}
_BUILT_IN = _NUMBERS | {"str", "bytes", "list", "tuple", "dict", "set", "frozenset"}


def redeclared(contract: CallContract, before: Target, after: Target, pair: Comparison) -> Iterator[Finding]:
    """Yield a finding where what is passed was of the declared type, and no value of that type is of the one
    declared now. Only of classes whose fields are their parameters: what upstream reads later is what was
    passed, while the annotation of a function is often only put right."""
    made_of_fields = not before.running and not after.running
    if not made_of_fields or len(before.signatures) != 1 or len(after.signatures) != 1:
        return
    if contract.arguments.starred:
        return
    old_class, new_class = pair.old.resolve(before.symbol), pair.new.resolve(after.symbol)
    if old_class is None or new_class is None:
        return
    old, new = before.signatures[0], after.signatures[0]
    written = dict(contract.types)
    for key in _filled(contract, new):
        was, now = parameter(old, key), parameter(new, key)
        if was is None or now is None or was.name != now.name or was.annotation == now.annotation:
            continue
        if key in written and allowed(now.annotation, written[key]):
            continue
        if _disjoint((old_class.module, was.annotation), (new_class.module, now.annotation), pair):
            yield Finding(
                contract, ChangeKind.PARAMETER_TYPE_CHANGED, after.symbol, Ground.DECLARED,
                f"{after.symbol}() took {now.name} as {was.annotation} and takes {now.annotation} now",
                subject=now.name,
            )  # fmt: skip


def _filled(contract: CallContract, signature: Signature) -> Iterator[str]:
    """The places and keywords that a call fills."""
    yield from map(str, range(min(contract.arguments.positional, len(signature.positional))))
    yield from contract.arguments.keywords


def _disjoint(was: Annotated, now: Annotated, pair: Comparison) -> bool:
    """Whether neither type allows what the other one does."""
    if any("Literal" in (text or "") for _, text in (was, now)):
        return False
    match pair.other_type(was, now), pair.other_type(now, was):
        case "elements", "elements":
            return bool((named(was[1]) ^ named(now[1])) & _BUILT_IN)
        case "type", "type":
            return not _may_be_the_same(was, now, pair)
    return False


def _may_be_the_same(was: Annotated, now: Annotated, pair: Comparison) -> bool:
    """Whether an object of the class that was declared may be one of the class that is."""
    names = {builtin_name(named_class(text or "") or "") for _, text in (was, now)}
    above, before = pair.new.annotation_class(*now), pair.old.annotation_class(*was)
    below = pair.now(before.name) if before is not None else None
    if above is None or below is None or below.kind != "class":
        known = sum(symbol is not None for symbol in (above, before)) + len(names & _BUILT_IN)
        return known < 2 or names <= _NUMBERS
    lineage = pair.new.lineage(below)
    return bool(lineage.external) or above.name in {c.name for c in lineage.classes}
