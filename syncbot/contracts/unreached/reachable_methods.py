"""Which inherited methods nobody calls on objects of a class that overrides all their callers, or has what is
chosen in their place."""

from __future__ import annotations

from syncbot.api.model import Call
from syncbot.api.symbols import Symbol
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.overrides.dispatchers import dispatched

# So many methods are followed back.
_STEPS = 4


def is_reached(own: Symbol, method: str, pair: Comparison, steps: int = _STEPS) -> bool:
    """Whether something that may run on objects of a class of the backend calls one of its inherited methods.
    Anybody may call a public one, unless upstream chooses among it and one that the backend has."""
    if not steps:
        return True
    passed_over = _is_passed_over(own, method, pair)
    if not passed_over and (not method.startswith("_") or method.endswith("__")):
        return True
    calls = [
        *pair.new_usage.calls(tuple(pair.new_tree.modules), method),
        *pair.own_usage.calls(tuple(pair.own_tree.modules), method),
    ]
    return not (calls or passed_over) or any(
        _may_run(own, method, module, call, pair, steps) for module, call in calls
    )


def _is_passed_over(own: Symbol, method: str, pair: Comparison) -> bool:
    """Whether a method of upstream's chooses among this inherited one and one that the backend defines."""

    def is_own(name: str) -> bool:
        member = pair.new.member(own, name)
        return member is not None and not pair.is_upstream(member.owner.module)

    return any(
        method in choices and not is_own(method) and any(map(is_own, choices))
        for choices in dispatched(own, pair.new, pair.is_upstream)
    )


def _may_run(own: Symbol, method: str, module: str, call: Call, pair: Comparison, steps: int) -> bool:
    receiver = call.callee.rpartition(".")[0]
    if receiver not in ("self", "super()"):
        return True
    qualname, _, caller = call.scope.rpartition(".")
    class_ = pair.new.local(module, qualname) if qualname else None
    if class_ is None or class_.kind != "class":
        return True
    if caller == method or class_.name not in {c.name for c in pair.new.lineage(own).classes}:
        return False
    member = pair.new.member(own, caller)
    if member is not None and member.owner.name != class_.name and not _goes_on(caller, pair):
        return False
    return is_reached(own, caller, pair, steps - 1)


def _goes_on(method: str, pair: Comparison) -> bool:
    """Whether the backend calls what one of its methods of that name overrides: through ``super``, or by the
    name of a class."""
    for module, call in pair.own_usage.calls(tuple(pair.own_tree.modules), method):
        receiver = call.callee.rpartition(".")[0]
        found = pair.new.local(module, receiver) if "?" not in receiver and receiver else None
        if receiver.startswith("super()") or (found is not None and found.kind == "class"):
            return True
    return False
