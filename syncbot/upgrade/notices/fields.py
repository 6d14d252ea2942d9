"""Fields that a class gained: one whose objects the project makes or reads, or from which it derives."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial

from syncbot.api.model import Attribute, Class
from syncbot.api.signatures import maker
from syncbot.api.symbols import Node, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.comparison import Comparison
from syncbot.upgrade.model import Topic, Way
from syncbot.upgrade.registry import Draft, noticer
from syncbot.upgrade.used_names import UsedName

_WAYS = (Way.SUBCLASSED, Way.CALLED, Way.READ)


@noticer
def other_fields(used: UsedName, pair: Comparison) -> Iterator[Draft]:
    """New fields with a default; other defaults of the fields that a class of the project inherits."""
    if used.after is None or used.after.kind != "class" or used.before.kind != "class":
        return
    derives = bool(used.relied_on(Way.SUBCLASSED))
    if not derives and not (_has_fields(pair.old, used.before) and _has_fields(pair.new, used.after)):
        return
    was = _fields(pair.old, used.before)
    for name, (home, field) in _fields(pair.new, used.after).items():
        before = was.get(name)
        if before is None and field.value is not None:
            yield _draft(used, Topic.OPTIONAL, "field", home, None, field)
        elif before is not None and derives and _differ(before[1].value, field.value):
            yield _draft(used, Topic.BEHAVIOURAL, "default", home, before[1], field)


def _differ(before: str | None, after: str | None) -> bool:
    return bool(before and after) and before != after


def _draft(
    used: UsedName, topic: Topic, what: str, home: Symbol, before: Attribute | None, now: Attribute
) -> Draft:
    ways = (Way.SUBCLASSED,) if before is not None else _WAYS
    was = before.value if before is not None else None
    notice = used.noticed(topic, what, *ways, home=home.name, subject=now.name, before=was, after=now.value)
    return Draft(notice, home, partial(_value, now.name))


def _has_fields(universe: Universe, symbol: Symbol) -> bool:
    made = maker(universe, symbol)
    return made is not None and bool(made.fields)


def _fields(universe: Universe, symbol: Symbol) -> Mapping[str, tuple[Symbol, Attribute]]:
    """The public names that a class and its bases declare, each with the class that does so first."""
    found: dict[str, tuple[Symbol, Attribute]] = {}
    for owner in universe.lineage(symbol).classes:
        for attribute in owner.class_.attributes if owner.class_ is not None else ():
            if not attribute.origin and not attribute.name.startswith("_"):
                found.setdefault(attribute.name, (owner, attribute))
    return found


def _value(name: str, nodes: Sequence[Node]) -> Hashable:
    classes = [node for node in nodes if isinstance(node, Class)]
    found = (a for node in classes for a in node.attributes if a.name == name and not a.origin)
    return tuple(attribute.value for attribute in found)
