"""Functions that say that they return something else: those that the project calls, overrides or replaces."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from syncbot.api.methods import definition
from syncbot.api.model import Function
from syncbot.api.symbols import Node
from syncbot.contracts.comparison import Comparison
from syncbot.upgrade.model import Topic, Way
from syncbot.upgrade.registry import Draft, noticer
from syncbot.upgrade.used_names import UsedName

_WAYS = (Way.OVERRIDDEN, Way.COPIED, Way.CALLED)


@noticer
def other_result(used: UsedName, pair: Comparison) -> Iterator[Draft]:
    """A result that is annotated as another type."""
    if (
        not used.relied_on(*_WAYS)
        or used.after is None
        or not (used.before.functions and used.after.functions)
    ):
        return
    before, after = definition(used.before.functions), definition(used.after.functions)
    was, now = before.annotation, after.annotation
    if was is None or now is None or not _differs(used, pair, was, now):
        return
    notice = used.noticed(Topic.BEHAVIOURAL, "returns", *_WAYS, before=was, after=now)
    yield Draft(notice, used.after, _annotation)


def _differs(used: UsedName, pair: Comparison, was: str, now: str) -> bool:
    home = used.after or used.before
    return pair.other_type((used.before.module, was), (home.module, now)) is not None


def _annotation(nodes: Sequence[Node]) -> Hashable:
    functions = [node for node in nodes if isinstance(node, Function)]
    return definition(functions).annotation if functions else None
