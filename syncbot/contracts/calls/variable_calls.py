"""Calls of what a local variable holds, such as a class that was chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncbot.api.model import Call
from syncbot.api.universe import Universe
from syncbot.api.usage import UsageTables

#: Fewer arguments may be passed to anything.
FEWEST = 6


def of_variables(
    usage: UsageTables, universe: Universe, modules: Sequence[str]
) -> Iterator[tuple[str, Call]]:
    """The calls in some modules that pass several arguments by place to a name that no definition has."""
    for module, call in usage.all_calls(modules):
        if call.positional < FEWEST or "." in call.callee or "?" in call.callee or not call.scope:
            continue
        if universe.local(module, call.callee) is None:
            yield module, call
