"""Keywords that upstream's callers begin to pass to what the backend overrides or replaces."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from syncbot.api.model import Call
from syncbot.contracts.changes import ChangeKind, ParameterDetails, ParameterKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.callers import fits, located_calls, running_calls
from syncbot.contracts.overrides.changed_function import ChangedFunction, described, shown

# What so many modules define under one name is not told apart by that.
_COMMON = 10


def newly_passed(contract: Contract, change: ChangedFunction, pair: Comparison) -> Iterator[Finding]:
    """Callers newly pass what upstream's own took before, or swallows in ``**kwargs``, and ours does not."""
    # Who makes objects of an upstream class names that one, and not the class derived from it.
    makes = change.symbol.endswith(".__init__")
    kept = frozenset[str]() if makes else change.old.names & change.new.names
    if change.ours.has("**") or not (change.new.has("**") or kept - change.ours.names):
        return
    if not _any_further(change, pair):
        return
    before: dict[tuple[str, str], set[str]] = {}
    earlier = located_calls(change, pair, old=True)
    # Who passed it to a method of that name before had another object; a function is one and the same.
    passed = {keyword for _, call in earlier for keyword in call.keywords} if change.derived else set()
    for _, call in earlier:
        if fits(change.ours, call):
            before.setdefault((call.scope, call.callee), set()).update(call.keywords)
    reported: set[str] = set()
    for call in running_calls(change, pair) if before else ():
        known = before.get((call.scope, call.callee))
        if known is None or not known <= set(call.keywords):
            continue
        left = {keyword for keyword in call.keywords if keyword not in change.new.names - kept} - passed
        for finding in (*_by_place(contract, change, call), *_by_name(contract, change, call, left)):
            if finding.subject not in reported:
                reported.add(finding.subject)
                yield finding


def _by_name(
    contract: Contract, change: ChangedFunction, call: Call, wanted: Collection[str]
) -> Iterator[Finding]:
    """Those of some keywords that ours does not take."""
    for keyword in (k for k in call.keywords if k in wanted and k not in change.ours.names):
        reason = f"upstream now passes {keyword} to {change.symbol}() ({shown(call)}), not taken here"
        details = ParameterDetails(parameter=keyword, method=change.called, kind=ParameterKind.KEYWORD)
        known_as = change.new.get(keyword)
        if known_as is not None:
            details = described(change, change.new, known_as)
        yield Finding(
            contract, ChangeKind.PARAMETER_PASSED, change.symbol, Ground.NEWLY_PASSED, reason,
            subject=keyword, details=details,
        )  # fmt: skip


def _by_place(contract: Contract, change: ChangedFunction, call: Call) -> Iterator[Finding]:
    """One more argument than ours takes, from a caller that passed fewer: upstream's own took it before."""
    ours = change.ours.positional
    further = [p for p in change.new.positional[len(ours) : call.positional] if change.old.get(p.name)]
    if not further or call.starred or change.ours.has("*") or {p.name for p in further} & change.ours.names:
        return
    name = further[0].name
    yield Finding(
        contract, ChangeKind.PARAMETER_PASSED, change.symbol, Ground.NEWLY_PASSED,
        f"upstream now passes {name} to {change.symbol}() by place ({shown(call)}), not taken here",
        subject=name, details=described(change, change.new, further[0]),
    )  # fmt: skip


def _any_further(change: ChangedFunction, pair: Comparison) -> bool:
    """Whether a call of that name passes something that ours does not take, whatever it calls: to find out
    what a call means takes long."""
    find = pair.new_usage.calls_under_any_name if change.target else pair.new_usage.calls
    calls = (call for _, call in find(pair.changed, change.called))
    most = len(change.ours.positional)
    return any(call.positional > most or set(call.keywords) - change.ours.names for call in calls)


def newly_swallowed(contract: Contract, change: ChangedFunction, pair: Comparison) -> Iterator[Finding]:
    """Upstream's own takes any keyword now, and is passed some that ours does not take."""
    if change.ours.has("**") or change.old.has("**") or not change.new.has("**"):
        return
    tree = pair.new_tree
    if len(tree.mentioning(tree.modules, f"def {change.called}(")) > _COMMON:
        return
    reported = change.ours.names | change.new.names
    for call in running_calls(change, pair):
        for keyword in (k for k in call.keywords if k not in reported):
            reported |= {keyword}
            reason = (
                f"{change.symbol}() takes any keyword now, and upstream passes {keyword} ({shown(call)}), "
                "not taken here"
            )
            details = ParameterDetails(parameter=keyword, method=change.called, kind=ParameterKind.KEYWORD)
            yield Finding(
                contract, ChangeKind.PARAMETER_PASSED, change.symbol, Ground.PASSED_BY_NAME, reason,
                subject=keyword, details=details,
            )  # fmt: skip
