"""Calls that the backend makes: whether their arguments bind, with stand-ins for the values."""

from __future__ import annotations

from syncbot.api.signatures import Arguments
from syncbot.contracts.calls.targets import CallContract, reached_in
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Finding
from syncbot.witness.model import NotWitnessable, Program
from syncbot.witness.program_text import looked_up, passed, upstream_class, upstream_symbol
from syncbot.witness.registry import maker

_BINDING = {
    *(ChangeKind.PARAMETER_ADDED, ChangeKind.PARAMETER_REQUIRED, ChangeKind.PARAMETER_REMOVED),
    *(ChangeKind.PARAMETER_RENAMED, ChangeKind.PARAMETER_REORDERED),
}
_HEAD = """\
import inspect
import pkgutil

{function}
value = object()
signature = inspect.signature(function)
call = signature.bind_partial({arguments})
wide = [p.name for p in signature.parameters.values() if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
if any(call.arguments.get(name) for name in wide):
    raise RuntimeError("a decorator takes any argument: what it calls, only running it shows")
"""
#: Python names the first missing argument only, and an unexpected one before all missing ones.
_MISSING = """\
import inspect
import pkgutil

{function}
parameters = inspect.signature(function).parameters
places = [p.name for p in parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
given = {{*places[:{positional}], *{keywords}}}
asked = parameters.get("{name}")
if asked is None and any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
    raise RuntimeError("a decorator takes any argument: what it calls, only running it shows")
if asked is not None and asked.default is asked.empty and "{name}" not in given:
    raise TypeError("missing a required argument: '{name}'")
"""
_IN_PLACE = """\
filled = list(call.arguments)[:{count}]
if filled != {names}:
    raise TypeError(f"the positional arguments fill {{', '.join(filled)}} now")
"""
_COROUTINE = """\
import inspect
import pkgutil

{function}
if inspect.iscoroutinefunction(function) is not {was}:
    raise TypeError("it {now} a coroutine function")
"""


@maker(CallContract)
def call_program(contract: CallContract, finding: Finding, pair: Comparison) -> Program:
    """The binding of the arguments to the signature that the function has at run time."""
    function, module = _function(contract, pair)
    if finding.kind is ChangeKind.ASYNC_CHANGED:
        was = contract.awaited
        now = "is no longer" if was else "is now"
        text = _COROUTINE.format(function=function, was=was, now=now)
        return Program(text, ("TypeError",), ("coroutine",), (module,))
    if finding.ground in (Ground.FORWARDED, Ground.HANDED_ON_REQUIRES):
        raise NotWitnessable("the call binds still; what it is handed on to, only running it shows")
    if finding.kind not in _BINDING:
        raise NotWitnessable("the call binds still; whether what it gives is the same, only running it shows")
    arguments, concerned = contract.arguments, finding.details.subject
    words = (f"'{concerned}'",) if concerned.isidentifier() else ()
    if finding.kind is ChangeKind.PARAMETER_REORDERED:
        names = _positional(contract, pair)
        text = _HEAD.format(function=function, arguments=passed(arguments, "value"))
        text += _IN_PLACE.format(count=len(names), names=names)
        words = ()
    elif concerned.isidentifier() and concerned not in arguments.keywords:
        text = _MISSING.format(
            function=function,
            positional=arguments.positional,
            keywords=list(arguments.keywords),
            name=concerned,
        )
    else:
        # An unexpected one by itself: Python complains about one only.
        alone = Arguments(0, (concerned,)) if words else Arguments(arguments.positional, ())
        text = _HEAD.format(function=function, arguments=passed(alone, "value"))
    return Program(text, ("TypeError",), words, (module,))


def _function(contract: CallContract, pair: Comparison) -> tuple[str, str]:
    """Statements that name the function as the call reaches it, and the upstream module."""
    if not contract.receiver:
        symbol = upstream_symbol(contract.symbol, pair)
        return f"function = {looked_up(symbol)}", symbol.module
    owner = upstream_class(contract.receiver, pair)
    lines = [f"kind = {looked_up(owner)}"]
    # What an object that is called runs may have another name.
    name = contract.name if contract.name != "__call__" else contract.symbol.rpartition(".")[2]
    if contract.bound:
        lines.append(f'function = inspect.getattr_static(kind, "{name}").__get__(object(), kind)')
    else:
        lines.append(f"function = kind.{name}")
    return "\n".join(lines), owner.module


def _positional(contract: CallContract, pair: Comparison) -> list[str]:
    """The parameters that the positional arguments filled before the change."""
    before = reached_in(contract, pair)[0]
    if before is None or not before.signatures:
        raise NotWitnessable("nothing shows what the call reached before")
    return [p.name for p in before.signatures[-1].positional[: contract.arguments.positional]]
