"""Findings where upstream calls a function of the backend otherwise than before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncbot.api.model import Function, Parameter
from syncbot.api.signatures import Arguments, Signature
from syncbot.api.universe import Universe
from syncbot.contracts.calls.callback_calls import CallbackCall
from syncbot.contracts.calls.given_functions import GivenFunction, defined_as, takes
from syncbot.contracts.calls.results import result_length
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding

_NO_COROUTINES = (None, "None", "int", "str", "bool", "float")


def called_otherwise(
    contract: Contract,
    given: GivenFunction,
    signatures: tuple[Signature, ...],
    symbol: str,
    before: Sequence[CallbackCall],
    after: Sequence[CallbackCall],
    universe: Universe,
) -> Iterator[Finding]:
    """A finding where each call that was seen before was taken, and none is now, or not one that is sure to
    run; or where each does with the result what that does not allow."""
    if not before or not all(takes(given, signatures, call.arguments) for call in before):
        return
    if all(takes(given, signatures, call.arguments) for call in after):
        yield from _used_otherwise(contract, given, symbol, before, after, universe)
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
    doubt = _doubt(refused) if not sure else ""
    yield finding.doubted(Ground.DOUBTED, doubt) if doubt else finding


def _doubt(refused: Sequence[CallbackCall]) -> str:
    """Return the doubt whether calls fail, none of which is sure to run; empty without one."""
    if all(call.caught for call in refused):
        return "; but a TypeError is caught there"
    tested = all(call.caught or call.tested for call in refused)
    return "; but it may be tested before for what it takes" if tested else ""


def _used_otherwise(
    contract: Contract,
    given: GivenFunction,
    symbol: str,
    before: Sequence[CallbackCall],
    after: Sequence[CallbackCall],
    universe: Universe,
) -> Iterator[Finding]:
    """A finding where upstream now awaits each result or unpacks it into another number of values, and the
    function gives none such."""
    function = defined_as(given, universe)
    if function is None or not after or function.is_generator:
        return
    told = _other_length(function, before, after) or _awaited(function, before, after)
    if told is not None:
        ground, does, why = told
        reason = f"{after[0].where}() {does} the result of what is given to {symbol} here, {why}"
        yield Finding(contract, ChangeKind.CALLBACK_CALLED_OTHERWISE, symbol, ground, reason)


_Told = tuple[Ground, str, str]


def _other_length(
    function: Function, before: Sequence[CallbackCall], after: Sequence[CallbackCall]
) -> _Told | None:
    length = result_length(function)
    was, now = {c.result.parts for c in before}, [c.result.parts for c in after]
    if length is None or was != {length} or None in now or length in now:
        return None
    return Ground.WRONG_LENGTH, f"unpacks into {now[0]} values", f"which has {length}"


def _awaited(
    function: Function, before: Sequence[CallbackCall], after: Sequence[CallbackCall]
) -> _Told | None:
    newly = not any(c.result.awaited for c in before) and all(c.result.awaited for c in after)
    if not newly or function.is_async or function.annotation not in _NO_COROUTINES:
        return None
    plain = all(shape.startswith(("none", "tuple", "list")) for shape in function.returned)
    return (Ground.RESULT_OF_OTHER_KIND, "awaits", "which is no coroutine function") if plain else None


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
