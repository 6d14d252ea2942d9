"""Parameters that upstream made optional and leaves out since, and that the stand-in requires still."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.signatures import Arguments, bind
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.callers import fits, running_calls, sure_calls
from syncbot.contracts.overrides.changed_function import ChangedFunction, shown


def left_out(contract: Contract, change: ChangedFunction, pair: Comparison) -> Iterator[Finding]:
    """A finding for each parameter that has a default now, and that upstream does not pass to ours, which
    requires it. Who makes objects of an upstream class does not call that of a class derived from it."""
    if change.made_as is not None:
        return
    eased = [p.name for p in change.new.parameters if not p.required and _is_required(change, p.name)]
    running = running_calls(change, pair) if eased else []
    # Where others pass it still, upstream may choose by what ours is.
    passed = {call.scope for call in running if fits(change.ours, call)}
    sure = sure_calls(change, pair) if passed else set()
    for call in sorted(running, key=lambda call: call not in sure):
        given = Arguments(call.positional, call.keywords, call.starred, call.starred)
        missing = {problem.name for problem in bind(change.ours, given) if problem.kind == "missing"}
        for name in [name for name in eased if name in missing]:
            eased.remove(name)
            reason = (
                f"{change.symbol}() made {name} optional and upstream leaves it out ({shown(call)}); what "
                "stands here requires it"
            )
            kind = ChangeKind.PARAMETER_DEFAULT_ADDED
            found = Finding(contract, kind, change.symbol, Ground.SIGNATURE_REQUIRES, reason, subject=name)
            doubtful = passed and (call not in sure or call.scope in passed)
            yield found.doubted(Ground.DOUBTED, "; but other calls pass it") if doubtful else found


def _is_required(change: ChangedFunction, name: str) -> bool:
    """Whether upstream required a parameter, and ours does."""
    before, mine = change.old.get(name), change.ours.get(name)
    return before is not None and before.required and mine is not None and mine.required
