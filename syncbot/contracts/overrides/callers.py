"""Who calls the upstream function that one of the backend stands in for: these calls may reach ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.methods import definition
from syncbot.api.model import Call
from syncbot.api.signatures import Arguments, Signature, bind
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.calls.variable_calls import FEWEST
from syncbot.contracts.comparison import Comparison, Side
from syncbot.contracts.inference.called_objects import called_method
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.inference.named_values import in_method
from syncbot.contracts.overrides.changed_function import ChangedFunction
from syncbot.contracts.overrides.held_classes import held_calls
from syncbot.contracts.overrides.replaced_bindings import goes_through
from syncbot.contracts.overrides.upstream_tests import is_test


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


def chosen_calls(change: ChangedFunction, pair: Comparison, *, old: bool) -> list[tuple[str, Call]]:
    """The calls of a local variable that pass by place just what the constructor took, and after the change
    just what it takes now."""
    counts = len(change.old.positional), len(change.new.positional)
    if change.made_as is None or min(counts) < FEWEST or change.old.has("*") or change.new.has("*"):
        return []
    before, after = pair.calls_of_variables
    was = {(m, c.scope, c.callee) for m, c in before if c.positional == counts[0]}
    now = {(m, c.scope, c.callee) for m, c in after if c.positional == counts[1]}
    side, count = (before, counts[0]) if old else (after, counts[1])
    found = [(m, c) for m, c in side if c.positional == count and (m, c.scope, c.callee) in was & now]
    (pair.old_tree if old else pair.new_tree).note([module for module, _ in found])
    return found


@dataclass(frozen=True, slots=True)
class Callers:
    """The upstream calls that fit the new signature: ``hidden`` ones never run where the backend does.
    ``held``: only the backend's methods call the objects; ``unseen``: no call reaches ours."""

    passing: list[Call]
    hidden: set[Call]
    running: list[Call]
    held: bool
    unseen: bool

    @staticmethod
    def of(change: ChangedFunction, pair: Comparison) -> Callers:
        """Look for them in the modules that changed."""
        passing, hidden = _passing(change, pair)
        running = [c for c in passing if c not in hidden]
        held = (change.derived or not passing) and _is_held_by_own(change, pair)
        if held:
            hidden, running = set(passing), []
        unseen = not running and (bool(passing) or held or _only_by_class(change, pair))
        return Callers(passing, hidden, running, held, unseen)


def running_calls(change: ChangedFunction, pair: Comparison) -> list[Call]:
    """Upstream calls, in modules that changed, that fit the new signature and run where the backend does."""
    passing, hidden = _passing(change, pair)
    return [c for c in passing if c not in hidden]


def sure_calls(change: ChangedFunction, pair: Comparison) -> set[Call]:
    """Those whose receiver is seen to be an object of the class with the replaced method, so of ours too."""
    owner = change.symbol.rpartition(".")[0]
    seen = (
        (call, in_method(pair.in_new, module, call.scope, call.callee.rpartition(".")[0]))
        for module, call in located_calls(change, pair, old=False)
        if "?" not in call.callee
    )
    return {call for call, of in seen if of is not None and of.instance and of.symbol.name == owner}


def located_calls(change: ChangedFunction, pair: Comparison, *, old: bool) -> list[tuple[str, Call]]:
    """Upstream calls of that name in modules that differ, each with its module."""
    side = pair.side(old=old)
    find = side.usage.calls_under_any_name if change.target else side.usage.calls
    found = [
        (module, call)
        for module, call in find(side.differing, change.called)
        if not is_test(module)
        and not call.callee.startswith("super()")
        and _may_mean(change, module, call, side.universe, pair)
    ]
    found += held_calls(change, pair, old=old)
    found += module_calls(change, pair, old=old)
    found += super_calls(change, pair, old=old)
    return found or chosen_calls(change, pair, old=old)


def fits(signature: Signature, call: Call) -> bool:
    """Whether a call binds to a signature."""
    return not bind(signature, Arguments(call.positional, call.keywords, call.starred, call.starred))


def _passing(change: ChangedFunction, pair: Comparison) -> tuple[list[Call], set[Call]]:
    """Upstream calls, in modules that changed, that fit the new signature; those that never run here."""
    located = [(m, c) for m, c in located_calls(change, pair, old=False) if fits(change.new, c)]
    # Where only the backend makes the objects, nobody upstream calls their constructor.
    made = change.made_as is not None and bool(located) and pair.shadows.are_made_by_own(change.made_as)
    hidden = {c for module, c in located if made or pair.shadows.hide(module, c.scope)}
    return [c for _, c in located], hidden


def _may_mean(change: ChangedFunction, module: str, call: Call, universe: Universe, pair: Comparison) -> bool:
    """Whether a call may be one of the function: its name leads to nothing else, and its class is kin."""
    if change.stands_in is not None and call.callee == f"self.{change.called}":
        found = universe.local(module, call.scope.rpartition(".")[0])
        if found is not None and found.kind == "class" and universe.member(found, change.called) is not None:
            kin, here = _lineage(universe, found), _lineage(universe, change.stands_in)
            return found.name in here or change.stands_in.name in kin
    if change.derived:
        inference = pair.in_old if universe is pair.old else pair.in_new
        named = _named_class(module, call, universe, pair)
        return named is None and _may_hold(change, module, call, inference)
    if not change.target:
        return True
    if change.binding and not goes_through(change.binding, module, call, universe):
        return False
    found = universe.local(module, call.callee)
    return found is None or found.kind not in ("class", "function") or found.name == change.target


def _may_hold(change: ChangedFunction, module: str, call: Call, inference: Inference) -> bool:
    """Whether the receiver of a call may be an object of the class with the override."""
    if change.stands_in is None or call.callee.rpartition(".")[0] == "self":
        return True
    return may_be_asked_of(change.stands_in, module, call, inference)


def may_be_asked_of(class_: Symbol, module: str, call: Call, inference: Inference) -> bool:
    """Whether the receiver of a call may be an object of a class: what is seen to be an object of another
    kind is not, nor is one that has the method from a class which is no kin."""
    receiver, _, name = call.callee.rpartition(".")
    if "?" in receiver or receiver in ("", "super()"):
        return True
    universe = inference.universe
    found = in_method(inference, module, call.scope, receiver)
    if found is None or not found.instance or found.symbol.kind != "class":
        return True
    if receiver == "self" and universe.member(found.symbol, name) is None:
        return True
    return bool(_lineage(universe, class_) & _lineage(universe, found.symbol))


def _lineage(universe: Universe, class_: Symbol) -> set[str]:
    """The names of a class and of those that it derives from."""
    return {c.name for c in universe.lineage(class_).classes}


def _named_class(module: str, call: Call, universe: Universe, pair: Comparison) -> str | None:
    """The class that a call names as its receiver, unless the backend puts its own under that name."""
    written = call.callee.rpartition(".")[0]
    found = universe.local(module, written)
    if found is None or found.kind != "class":
        return None
    names = (f"{module}.{written}", found.name)
    return None if any(map(pair.shadows.takes_the_name, names)) else found.name


def _is_held_by_own(change: ChangedFunction, pair: Comparison) -> bool:
    """Whether objects that have the replacement are called by methods of the backend alone."""
    return change.stands_in is not None and pair.shadows.are_held_by_own(change.stands_in, change.called)


def _only_by_class(change: ChangedFunction, pair: Comparison) -> bool:
    """Whether upstream is seen to call the overridden method itself, by its own class's name."""
    base = change.symbol.rpartition(".")[0]
    calls = pair.new_usage.calls(pair.changed, change.called)
    return change.derived and any(_named_class(m, c, pair.new, pair) == base for m, c in calls)
