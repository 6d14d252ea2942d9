"""An upstream function before and after a change, and the one of the backend that stands in for it."""

from __future__ import annotations

from dataclasses import dataclass

from syncbot.api.model import Call, Parameter
from syncbot.api.signatures import Signature
from syncbot.api.symbols import Symbol
from syncbot.contracts.changes import ParameterDetails, ParameterKind


@dataclass(frozen=True, slots=True)
class ChangedFunction:
    """The signatures of the upstream function before and after, and of ours. ``stands_in`` is the class whose
    objects have ours; ``called`` the name that upstream calls, ``target`` the dotted one, empty for a method.
    ``derived``: a subclass overrides it; ``made_as`` is our class whose constructor it is; ``binding``
    the module that only imports the function, where ours stands in its name there alone."""

    symbol: str
    stands_in: Symbol | None
    ours: Signature
    old: Signature
    new: Signature
    called: str
    target: str
    derived: bool
    made_as: Symbol | None
    binding: str = ""


def described(
    change: ChangedFunction, signature: Signature, parameter: Parameter, previous: str | None = None
) -> ParameterDetails:
    """A parameter of one of the signatures, as a rewrite needs to know it."""
    base, _, method = change.symbol.rpartition(".")
    names = [p.name for p in signature.parameters]
    index = names.index(parameter.name)
    return ParameterDetails(
        parameter=parameter.name, method=method, base=base, old_name=previous, default=parameter.default,
        kind=ParameterKind(parameter.kind), after=names[index - 1] if index else None,
    )  # fmt: skip


def place_of(signature: Signature, name: str) -> int | None:
    """The place of the positional parameter of that name, None without one."""
    names = [p.name for p in signature.positional]
    return names.index(name) if name in names else None


def shown(call: Call) -> str:
    """Where a call stands in upstream's text."""
    return f"{call.scope or 'module level'}, line {call.line}"
