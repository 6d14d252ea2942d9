"""Who calls the upstream function that one of the backend stands in for: these calls may reach ours."""

from __future__ import annotations

from dataclasses import dataclass

from syncbot.api.model import Call
from syncbot.api.signatures import Arguments, Signature, bind
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.inference.named_values import in_method
from syncbot.contracts.overrides.called_modules import module_calls
from syncbot.contracts.overrides.changed_function import ChangedFunction
from syncbot.contracts.overrides.chosen_classes import chosen_calls
from syncbot.contracts.overrides.held_classes import held_calls
from syncbot.contracts.overrides.replaced_bindings import goes_through
from syncbot.contracts.overrides.super_calls import super_calls
from syncbot.contracts.overrides.upstream_tests import is_test


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
