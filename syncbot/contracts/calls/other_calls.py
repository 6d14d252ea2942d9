"""What it means that upstream calls a function of the backend otherwise than before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncbot.api.model import Parameter
from syncbot.api.signatures import Arguments, Signature
from syncbot.contracts.calls.callback_calls import CallbackCall
from syncbot.contracts.calls.given_functions import GivenFunction, takes
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding


def called_otherwise(
    contract: Contract,
    given: GivenFunction,
    signatures: tuple[Signature, ...],
    symbol: str,
    before: Sequence[CallbackCall],
    after: Sequence[CallbackCall],
) -> Iterator[Finding]:
    """A finding where each call that was seen before was taken, and none is now, or not one that is sure to
    run."""
    if not before or not all(takes(given, signatures, call.arguments) for call in before):
        return
    refused = [call for call in after if not takes(given, signatures, call.arguments)]
    sure = [call for call in refused if call.sure and not call.caught]
    if not refused or (len(refused) < len(after) and not sure):
        return
    call = (sure or refused)[0]
    reason = f"{call.where}() calls with {shown(call.arguments)} what is given to {symbol} here"
    taken = " or ".join(map(str, signatures))
    finding = Finding(
        contract, ChangeKind.CALLBACK_CALLED_OTHERWISE, symbol, Ground.NEWLY_PASSED,
        f"{reason}, and that takes {taken}",
    )  # fmt: skip
    caught = not sure and all(c.caught for c in refused)
    yield finding.doubted(Ground.DOUBTED, "; but a TypeError is caught there") if caught else finding


def declared_otherwise(
    contract: Contract,
    given: GivenFunction,
    signatures: tuple[Signature, ...],
    symbol: str,
    taken: Parameter,
    declared: tuple[Arguments | None, Arguments | None],
) -> Iterator[Finding]:
    """A finding where a function was what a parameter was declared with, and is not what it is declared with
    now."""
    before, after = declared
    if before is None or after is None or not takes(given, signatures, before):
        return
    if not takes(given, signatures, after):
        reason = f"{symbol}() takes for {taken.name} what is called with {shown(after)} now"
        yield Finding(
            contract, ChangeKind.CALLBACK_CALLED_OTHERWISE, symbol, Ground.PASSED_OF_OTHER_TYPE,
            f"{reason}, and this takes {' or '.join(map(str, signatures))}", subject=taken.name,
        )  # fmt: skip


def shown(arguments: Arguments) -> str:
    """Arguments in words: ``2 arguments by place and key=``."""
    count = arguments.positional
    parts = (
        [f"{count} argument{'' if count == 1 else 's'} by place"] if count or not arguments.keywords else []
    )
    parts += [f"{name}=" for name in arguments.keywords]
    return " and ".join(parts)
