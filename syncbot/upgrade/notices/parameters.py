"""Parameters that a function gained, and defaults that it changed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import partial

from syncbot.api.methods import definition
from syncbot.api.model import Function, Parameter
from syncbot.api.symbols import Node
from syncbot.contracts.comparison import Comparison
from syncbot.upgrade.model import Topic, Way
from syncbot.upgrade.registry import Draft, noticer
from syncbot.upgrade.used_names import UsedName

_WAYS = (Way.OVERRIDDEN, Way.COPIED, Way.CALLED)
# A call that leaves a parameter out is judged by itself.
_BESIDE_CALLS = (Way.OVERRIDDEN, Way.COPIED)


@noticer
def other_parameters(used: UsedName, pair: Comparison) -> Iterator[Draft]:
    """New parameters that may be left out; other defaults of what the project stands in for."""
    if used.after is None or not (used.before.functions and used.after.functions):
        return
    was = _parameters(used.before.nodes)
    for name, parameter in _parameters(used.after.nodes).items():
        before = was.get(name)
        if before is None and not parameter.required and parameter.kind not in ("*", "**"):
            yield from _draft(used, Topic.OPTIONAL, "parameter", _WAYS, None, parameter)
        elif before is not None and _has_other_default(before, parameter):
            yield from _draft(used, Topic.BEHAVIOURAL, "default", _BESIDE_CALLS, before, parameter)


def _has_other_default(before: Parameter, after: Parameter) -> bool:
    return bool(before.default and after.default) and before.default != after.default


def _draft(
    used: UsedName, topic: Topic, what: str, ways: tuple[Way, ...], before: Parameter | None, now: Parameter
) -> Iterator[Draft]:
    if used.after is not None and used.relied_on(*ways):
        was = before.default if before is not None else None
        notice = used.noticed(topic, what, *ways, subject=now.name, before=was, after=now.default)
        yield Draft(notice, used.after, partial(_default, now.name))


def _parameters(nodes: Sequence[Node]) -> dict[str, Parameter]:
    functions = [node for node in nodes if isinstance(node, Function)]
    return {p.name: p for p in definition(functions).parameters} if functions else {}


def _default(name: str, nodes: Sequence[Node]) -> Hashable:
    found = _parameters(nodes).get(name)
    return (found is not None, found.default if found is not None else None)
