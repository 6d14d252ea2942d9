"""Functions of the backend in an upstream class that call one another, also what upstream does not have."""

from __future__ import annotations

from syncbot.api.symbols import Symbol
from syncbot.contracts.comparison import Comparison


def calls_by_itself(owner: str, name: str, class_: Symbol, pair: Comparison) -> bool:
    """Whether what the backend puts into a class calls a method on ``self``, and upstream still calls that: a
    function under a name that ``class_`` has, or one that such a function calls."""
    put = {
        own.own: symbol.rpartition(".")[2]
        for symbol, own in pair.replaced.items()
        if symbol.rpartition(".")[0] == owner
    }
    live = {own for own, method in put.items() if pair.new.member(class_, method) is not None}
    reached, followed = set[str](), set[str]()
    while live > followed:
        for own in live - followed:
            reached |= _asked_of_self(own, pair)
        followed = live
        live = live | {own for own, method in put.items() if method in reached}
    return name in reached


def _asked_of_self(function: str, pair: Comparison) -> set[str]:
    """The methods that a function of the backend calls on ``self``."""
    found = pair.new.resolve(function)
    if found is None or found.kind != "function":
        return set()
    calls = (call for _, call in pair.own_usage.all_calls((found.module,)) if call.scope == found.qualname)
    return {c.callee.removeprefix("self.") for c in calls if c.callee.startswith("self.")}
