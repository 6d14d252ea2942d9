"""Methods that the bases of a project's classes gained."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial

from syncbot.api.methods import definition
from syncbot.api.model import Class, Function
from syncbot.api.symbols import Node, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.comparison import Comparison
from syncbot.upgrade.model import Topic, Way
from syncbot.upgrade.registry import Draft, noticer
from syncbot.upgrade.used_names import UsedName


@noticer
def new_methods(used: UsedName, pair: Comparison) -> Iterator[Draft]:
    """A method that no base had: a class of the project may override it. One that only raises has to be."""
    if used.after is None or not used.relied_on(Way.SUBCLASSED) or used.after.kind != "class":
        return
    was = _methods(pair.old, used.before)
    own = _own_methods(used, pair)
    for name, (home, function) in _methods(pair.new, used.after).items():
        # What the project has itself is judged as an override that nobody meant.
        if name in was or name in own or function.abstract:
            continue
        what = "left-open" if function.unimplemented else "method"
        notice = used.noticed(Topic.OPTIONAL, what, Way.SUBCLASSED, home=home.name, subject=name)
        yield Draft(notice, home, partial(_has, name))


def _own_methods(used: UsedName, pair: Comparison) -> set[str]:
    found: set[str] = set()
    for receiver in used.receivers:
        own = pair.new.resolve(receiver)
        if own is not None and own.class_ is not None:
            found.update(f.name for f in own.class_.functions)
    return found


def _methods(universe: Universe, symbol: Symbol) -> Mapping[str, tuple[Symbol, Function]]:
    """The methods of a class and its bases, as the class has them; each with the furthest class that has it,
    where all below got it."""
    found: dict[str, tuple[Symbol, Function]] = {}
    for owner in universe.lineage(symbol).classes:
        own: dict[str, list[Function]] = {}
        for function in owner.class_.functions if owner.class_ is not None else ():
            own.setdefault(function.name, []).append(function)
        for name, functions in own.items():
            found[name] = (owner, found[name][1] if name in found else definition(functions))
    return found


def _has(name: str, nodes: Sequence[Node]) -> Hashable:
    return any(f.name == name for node in nodes if isinstance(node, Class) for f in node.functions)
