"""Keywords of which a condition decides: what becomes of a call where it passes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from syncbot.api.signatures import Signature
from syncbot.contracts.calls.adapting_decorators import with_old_names
from syncbot.contracts.calls.arguments import handed_on_to_none
from syncbot.contracts.calls.binding import compare_binding
from syncbot.contracts.calls.targets import CallContract, Target
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.model import Finding

#: What becomes of a keyword that is not taken any more.
GONE = (ChangeKind.PARAMETER_REMOVED, ChangeKind.PARAMETER_RENAMED)


def passed_sometimes(
    contract: CallContract,
    symbol: str,
    callee: str,
    before: Target,
    after: Target,
    signatures: Sequence[Signature],
) -> Iterator[Finding]:
    """Those of the keywords that ``signatures`` do not take any more."""
    if not contract.arguments.sometimes:
        return
    given = _whole(contract).arguments
    former = with_old_names(before.running, after.running, before.signatures, given.keywords)
    yield from _of_those(contract, compare_binding(contract, symbol, callee, given, former, signatures))


def handed_on_sometimes(
    contract: CallContract, before: Target, after: Target, pair: Comparison
) -> Iterator[Finding]:
    """Those of the keywords that upstream took, and now hands on to what does not take them."""
    if contract.arguments.sometimes:
        yield from _of_those(contract, handed_on_to_none(_whole(contract), before, after, pair))


def _whole(contract: CallContract) -> CallContract:
    """The call with all that it passes sometimes."""
    arguments = contract.arguments
    keywords = tuple(dict.fromkeys((*arguments.keywords, *arguments.sometimes)))
    return replace(contract, arguments=replace(arguments, keywords=keywords))


def _of_those(contract: CallContract, found: Iterator[Finding]) -> Iterator[Finding]:
    for finding in found:
        if finding.kind in GONE and finding.subject in contract.arguments.sometimes:
            reason = f"{finding.reason}; a condition decides whether this passes it"
            yield replace(finding, contract=contract, reason=reason)
