"""Methods that no base declares, and that upstream has called by their names on whatever objects it holds:
``everybody("profile", args=(…))``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from syncbot.api.methods import definition, is_property, is_static, method_signature
from syncbot.api.model import Call, Function
from syncbot.api.symbols import Member, Symbol
from syncbot.contracts.changes import ChangeKind, ParameterDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.callers import fits
from syncbot.contracts.overrides.changed_function import shown
from syncbot.contracts.overrides.classes_beside import classes_beside
from syncbot.contracts.overrides.introduced_methods import at_method
from syncbot.contracts.overrides.upstream_tests import is_test

C = TypeVar("C", bound=Contract)


def asked_otherwise(contract: C, old: Symbol, new: Symbol, pair: Comparison) -> Iterator[Finding]:
    """Findings for the methods of a class, as both trees have it, that upstream asks for by name with what
    they do not take, where all that it passed before was taken. Another class of upstream's with the same
    base has such a method, too."""
    for function in _only_here(old, new, pair):
        refused = _refused(function, pair)
        other = _other_with(function.name, new, pair) if refused is not None else None
        if refused is None or other is None:
            continue
        ours, theirs = method_signature(function), method_signature(definition(other.functions))
        lacking = next((p.name for p in theirs.parameters if p.name not in ours.names), None)
        if lacking is None or not fits(theirs, refused):
            continue
        reason = (
            f"upstream now passes {lacking} where it asks for {function.name}() by name ({shown(refused)}), "
            f"as {other.symbol}() takes it, and the method here does not"
        )
        yield Finding(
            at_method(contract, function, new), ChangeKind.PARAMETER_PASSED, other.symbol,
            Ground.NEWLY_PASSED, reason, subject=lacking,
            details=ParameterDetails(parameter=lacking, method=function.name, base=other.owner.name),
        )  # fmt: skip


def _only_here(old: Symbol, new: Symbol, pair: Comparison) -> Iterator[Function]:
    """The methods of a class that upstream may ask for by name and that no base of the class has."""
    body = pair.new.body(new) if pair.new.tree_of(new.module) is pair.own_tree else None
    names = {f.name: f for f in body.functions} if body is not None else {}
    for name in sorted(names.keys() & pair.asked_by_name):
        function = names[name]
        if is_property(function) or is_static(function) or function.unimplemented:
            continue
        if pair.old.member(old, name, 1) is None and pair.new.member(new, name, 1) is None:
            yield function


def _refused(function: Function, pair: Comparison) -> Call | None:
    """The first call that a method does not take, where it took all that upstream passed before."""
    ours = method_signature(function)
    before = _asking(function.name, pair, old=True)
    if not before or not all(fits(ours, call) for call in before):
        return None
    return next((call for call in _asking(function.name, pair, old=False) if not fits(ours, call)), None)


def _asking(name: str, pair: Comparison, *, old: bool) -> list[Call]:
    """Upstream's calls of a method that another one is handed by its name."""
    usage, modules = (
        (pair.old_usage, (*pair.changed, *pair.removed)) if old else (pair.new_usage, pair.changed)
    )
    asking = ((m, c) for m, c in usage.calls(modules, name) if not c.direct and c.callee == f"?.{name}")
    return [call for module, call in asking if not is_test(module)]


def _other_with(name: str, own: Symbol, pair: Comparison) -> Member | None:
    """The method of an upstream class that derives from what a class of the backend derives from."""
    found = next(classes_beside(own, name, pair), None)
    return pair.new.member(found, name) if found is not None else None
