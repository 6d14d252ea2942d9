"""Calls by ``super()`` in upstream's classes, of a method that the backend puts another one in place of."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.model import Call
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.overrides.changed_function import ChangedFunction


def super_calls(change: ChangedFunction, pair: Comparison, *, old: bool) -> Iterator[tuple[str, Call]]:
    """Those that reach the replaced method, each with its module; an override in a class of the backend's own
    is none that upstream's classes derive from."""
    side = pair.side(old=old)
    owner, _, method = change.symbol.rpartition(".")
    if change.derived or change.made_as is not None or not owner:
        return
    for module, call in side.usage.calls(side.differing, method):
        class_ = side.universe.local(module, call.scope.rpartition(".")[0]) if "." in call.scope else None
        if call.callee != f"super().{method}" or class_ is None or class_.kind != "class":
            continue
        reached = side.universe.member(class_, method, 1)
        if reached is not None and reached.owner.name == owner:
            yield module, call
