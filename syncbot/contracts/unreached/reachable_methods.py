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
    if passed_over:
        calls = [(module, call) for module, call in calls if _may_have(module, call, own, pair)]
    elif not calls:
        return True
    return any(_may_run(own, method, module, call, pair, steps) for module, call in calls)


def _is_passed_over(own: Symbol, method: str, pair: Comparison) -> bool:
    """Whether a method of upstream's chooses among this inherited one and one that the backend defines."""

    def is_own(name: str) -> bool:
        member = pair.new.member(own, name)
        return member is not None and not pair.is_upstream(member.owner.module)

    return any(
        method in choices and not is_own(method) and any(map(is_own, choices))
        for choices in dispatched(own, pair.new, pair.is_upstream)
    )


def _may_have(module: str, call: Call, own: Symbol, pair: Comparison) -> bool:
    """Whether a call is of the object that it stands in, or its module names a class of the objects: other
    than those that choose, from which much else derives."""
    if call.callee.startswith(("self.", "super().")) and _around(module, call.scope, pair)[0] is not None:
        return True
    lineage = pair.new.lineage(own).classes
    names = [c.qualname.rpartition(".")[2] for c in lineage if c.class_ is None or not c.class_.choices]
    tree = pair.new.tree_of(module)
    return tree is None or bool(tree.mentioning([module], *names))


def _may_run(own: Symbol, method: str, module: str, call: Call, pair: Comparison, steps: int) -> bool:
    receiver = call.callee.rpartition(".")[0]
    if receiver not in ("self", "super()"):
        return True
    class_, caller = _around(module, call.scope, pair)
    if class_ is None:
        return True
    if caller == method or class_.name not in {c.name for c in pair.new.lineage(own).classes}:
        return False
    member = pair.new.member(own, caller)
    if member is not None and member.owner.name != class_.name and not _goes_on(caller, pair):
        return False
    return is_reached(own, caller, pair, steps - 1)


def _around(module: str, scope: str, pair: Comparison) -> tuple[Symbol | None, str]:
    """The innermost class around a place, and its method there; None outside of classes."""
    parts = scope.split(".")
    for length in range(len(parts) - 1, 0, -1):
        found = pair.new.local(module, ".".join(parts[:length]))
        if found is not None and found.kind == "class":
            return found, parts[length]
    return None, ""


def _goes_on(method: str, pair: Comparison) -> bool:
    """Whether the backend calls what one of its methods of that name overrides: through ``super``, or by the
    name of a class."""
    for module, call in pair.own_usage.calls(tuple(pair.own_tree.modules), method):
        receiver = call.callee.rpartition(".")[0]
        found = pair.new.local(module, receiver) if "?" not in receiver and receiver else None
        if receiver.startswith("super()") or (found is not None and found.kind == "class"):
            return True
    return False
