"""Whether an override fitted what it overrides before upstream changed anything."""

from __future__ import annotations

from syncbot.api.methods import is_static
from syncbot.api.model import Function
from syncbot.api.signatures import Arguments, Signature, bind, function_signatures
from syncbot.api.symbols import Symbol
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground, Verdict
from syncbot.contracts.model import Finding
from syncbot.contracts.overrides.callers import fits, located_calls
from syncbot.contracts.overrides.changed_function import ChangedFunction


def never_fitted(ours: Signature, old: Signature) -> bool:
    """Whether no call that upstream's own signature allows could have bound to ours: it has other callers."""
    places = sum(p.required for p in old.positional)
    keywords = tuple(p.name for p in old.parameters if p.kind == "key" and p.required)
    unfit = [problem.kind for problem in bind(ours, Arguments(places, keywords))]
    return "too-many" in unfit or "unexpected" in unfit


def fitted_before(ours: Function, old: Function, home: Symbol) -> bool:
    """Whether a call that upstream's own function allowed, in a class or module, bound to what is put in its
    place."""
    mine, theirs = (
        function_signatures([f], bound=home.kind == "class" and not is_static(f))[0] for f in (ours, old)
    )
    return not never_fitted(mine, theirs)


def was_refused(change: ChangedFunction, pair: Comparison) -> bool:
    """Whether upstream called an override before already with what it does not take: by name with all that it
    requires, and in no other way that fits."""
    if not change.derived:
        return False
    required = {p.name for p in change.ours.parameters if p.required}
    calls = [call for _, call in located_calls(change, pair, old=True)]
    meant = any(len(required) > 1 and required <= set(call.keywords) for call in calls)
    return meant and not any(fits(change.ours, call) for call in calls)


def as_before(finding: Finding) -> Finding:
    """A finding that is no more than a risk, since the override did not fit before either."""
    if finding.verdict is not Verdict.BREAKS:
        return finding
    return finding.doubted(Ground.DOUBTED, "; but this override did not fit before either")
