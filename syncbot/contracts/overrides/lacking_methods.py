"""Methods that upstream begins to call on objects of a class in whose place the backend has put its own."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.symbols import Symbol
from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.named_values import named_in
from syncbot.contracts.model import Contract, Finding

_OF_ITS_OWN = ("self", "cls", "super()")


def newly_called(
    contract: Contract, ours: Symbol, before: Symbol, after: Symbol, pair: Comparison
) -> Iterator[Finding]:
    """Findings for the methods that upstream's class newly has, ours lacks, and other code there calls."""
    earlier = {f.name for f in before.class_.functions} if before.class_ is not None else set()
    fresh = {f.name for f in after.class_.functions} - earlier if after.class_ is not None else set()
    for name in sorted(n for n in fresh if not n.startswith("__")):
        if pair.new.member(ours, name) is not None or pair.new.member(ours, "__getattr__") is not None:
            continue
        called = _called(name, after, pair)
        if called is not None:
            reason = (
                f"{called} now calls {name} on objects of {after.name}; {ours.name}, which stands in its "
                "place, has no such method"
            )
            yield Finding(
                contract, ChangeKind.METHOD_LEFT_OPEN, f"{after.name}.{name}", Ground.READ_OF_ANOTHER, reason,
                subject=name, details=MemberDetails(name=name, base=after.name),
            )  # fmt: skip


def is_called_outside(name: str, pair: Comparison) -> bool:
    """Whether upstream calls a method on another object than the one that the caller is a method of."""
    modules = tuple(pair.new_tree.mentioning(pair.new_tree.modules, f".{name}("))
    calls = pair.new_usage.calls(modules, name)
    return any(call.callee.rpartition(".")[0] not in ("", *_OF_ITS_OWN) for _, call in calls)


def _called(name: str, after: Symbol, pair: Comparison) -> str | None:
    """Code outside the class that calls a method on what is seen to be its object, or has a method of that
    name from no other class."""
    for module, call in pair.new_usage.calls(pair.changed, name):
        receiver = call.callee.rpartition(".")[0]
        if not receiver or receiver in _OF_ITS_OWN or pair.shadows.hide(module, call.scope):
            continue
        value = named_in(pair.in_new, module, call.scope, receiver)
        if value is None:
            meant = _is_only_its(name, after, pair)
        else:
            meant = any(c.name == after.name for c in pair.new.lineage(value.symbol).classes)
        if meant:
            return f"{module}.{call.scope}" if call.scope else module
    return None


def _is_only_its(name: str, after: Symbol, pair: Comparison) -> bool:
    """Whether one module of upstream alone defines a name: that of the class."""
    mentioning = pair.new_tree.mentioning(pair.new_tree.modules, f"def {name}(")
    return list(mentioning) == [after.module]
