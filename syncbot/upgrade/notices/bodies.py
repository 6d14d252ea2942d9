"""Bodies that changed under the same name: of what the project calls, overrides, replaces or copied."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from syncbot.api.model import Function
from syncbot.api.symbols import Node
from syncbot.contracts.comparison import Comparison
from syncbot.upgrade.model import Topic, Way
from syncbot.upgrade.registry import Draft, noticer
from syncbot.upgrade.used_names import UsedName

_WAYS = (Way.COPIED, Way.OVERRIDDEN, Way.CALLED)


@noticer
def changed_body(used: UsedName, pair: Comparison) -> Iterator[Draft]:
    """A function whose body is another one."""
    if (
        not used.relied_on(*_WAYS)
        or used.after is None
        or not (used.before.functions and used.after.functions)
    ):
        return
    if _bodies(used.before.nodes) != _bodies(used.after.nodes):
        yield Draft(used.noticed(Topic.BEHAVIOURAL, "body", *_WAYS), used.after, _bodies, every=True)


def _bodies(nodes: Sequence[Node]) -> Hashable:
    return tuple(node.body for node in nodes if isinstance(node, Function))
