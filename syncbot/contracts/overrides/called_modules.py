"""Calls of objects: those of torch's modules run ``forward``, and what that hands everything on to."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.methods import definition
from syncbot.api.model import Call
from syncbot.api.symbols import Symbol
from syncbot.contracts.comparison import Comparison, Side
from syncbot.contracts.inference.called_objects import called_method
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.inference.named_values import in_method
from syncbot.contracts.overrides.changed_function import ChangedFunction


def module_calls(change: ChangedFunction, pair: Comparison, *, old: bool) -> Iterator[tuple[str, Call]]:
    """The calls of attributes that hold objects of the class whose method ours stands in for, or of those
    above it, each with its module. What only derives from that class is not what upstream makes."""
    side = pair.side(old=old)
    universe, tree = side.universe, side.tree
    owner = universe.resolve(change.symbol.rpartition(".")[0]) if change.stands_in is not None else None
    if owner is None or owner.kind != "class" or not _runs_when_called(owner, change.called, side):
        return
    if change.derived and change.called == "forward" and not pair.shadows.takes_the_name(owner.name):
        return
    kin = {c.name: c for c in universe.lineage(change.stands_in or owner).classes if tree.owns(c.module)}
    texts = [f"{c.qualname}(" for c in kin.values()]
    for module in tree.mentioning(side.differing, *texts) if texts else ():
        for _, call in side.usage.all_calls((module,)):
            if _is_of(call, module, side.inference, set(kin)):
                tree.note((module,))
                yield module, call


def _is_of(call: Call, module: str, inference: Inference, kin: set[str]) -> bool:
    """Whether a call is one of an attribute that holds an object of one of some classes."""
    if not call.callee.startswith("self.") or not call.scope:
        return False
    held = in_method(inference, module, call.scope, call.callee)
    return held is not None and held.instance and held.symbol.name in kin


def _runs_when_called(class_: Symbol, name: str, side: Side) -> bool:
    """Whether a method runs when an object is called: ``forward`` itself, or one that a ``forward`` which
    takes anything chooses."""
    runs = called_method(side.universe, class_)
    if runs is None or not runs.functions:
        return False
    if runs.name == name:
        return True
    takes = [p.kind for p in definition(runs.functions).parameters[1:]]
    return takes == ["*", "**"] and f"self.{name}" in side.usage.chains(runs.owner.module)
