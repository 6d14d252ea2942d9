"""Operators that upstream's modules register with torch: whether they are there, and what they take."""

from __future__ import annotations

from collections.abc import Sequence

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.operators import (
    ImplementationContract,
    OperatorContract,
    Registration,
    registrations_of,
)
from syncbot.contracts.model import Finding
from syncbot.witness.model import NotWitnessable, Program
from syncbot.witness.program_text import definition, passed
from syncbot.witness.registry import maker

_GONE = (ChangeKind.OPERATOR_REMOVED, ChangeKind.OPERATOR_RENAMED)
_BINDING = {
    *(ChangeKind.PARAMETER_ADDED, ChangeKind.PARAMETER_REQUIRED, ChangeKind.PARAMETER_REMOVED),
    *(ChangeKind.PARAMETER_RENAMED, ChangeKind.PARAMETER_REORDERED),
}
#: A module that one side does not have registers nothing there.
_REGISTERED = """\
import importlib
import inspect

import torch

for name in {modules}:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if not f"{{name}}.".startswith(f"{{error.name}}."):
            raise
"""
_ASKED = "operator = torch.ops.{namespace}.{name}\n"
_SIGNATURES = '''

def signature(overload: str) -> inspect.Signature:
    """The schema of an overload, as Python writes parameters."""
    parameters = []
    for each in getattr(operator, overload)._schema.arguments:
        kind = inspect.Parameter.KEYWORD_ONLY if each.kwarg_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        default = None if each.has_default_value() else inspect.Parameter.empty
        parameters.append(inspect.Parameter(each.name, kind, default=default))
    return inspect.Signature(parameters)


signatures = [signature(overload) for overload in operator.overloads()]
'''
#: Any overload will do; the last one says why none does.
_CALLED = """\
value = object()
failures = []
for each in signatures:
    try:
        each.bind({arguments})
    except TypeError as error:
        failures.append(error)
if len(failures) == len(signatures):
    raise failures[-1]
"""
_IMPLEMENTED = """\
{definition}


for each in signatures:
    parameters = each.parameters.values()
    by_name = {{p.name: None for p in parameters if p.kind is p.KEYWORD_ONLY}}
    inspect.signature(ours).bind(*[None] * (len(parameters) - len(by_name)), **by_name)
"""
_TAKEN = """\
torch.library.Library("{namespace}", "FRAGMENT").define("{name}() -> ()")
"""


@maker(OperatorContract)
def operator_program(contract: OperatorContract, finding: Finding, pair: Comparison) -> Program:
    """The look-up of the operator; of a call, whether it binds to the operator's schema."""
    if contract.declared:
        raise NotWitnessable("compiled code registers the operator")
    before, after = registrations_of(contract.symbol, contract.registrars, pair)
    if finding.kind in _GONE:
        return _looked_up(contract.symbol, before)
    if finding.kind not in _BINDING or contract.arguments is None:
        raise NotWitnessable("the call binds still; whether what it gives is the same, only running it shows")
    text = _registered(contract.symbol, [*before, *after], _ASKED) + _SIGNATURES
    text += _CALLED.format(arguments=passed(contract.arguments, "value"))
    return Program(text, ("TypeError",), (), _modules([*before, *after]))


@maker(ImplementationContract)
def implementation_program(contract: ImplementationContract, finding: Finding, pair: Comparison) -> Program:
    """The look-up of the operator, its schema's arguments bound to ours, or one more definition."""
    before, after = registrations_of(contract.symbol, contract.registrars, pair)
    if finding.kind in _GONE:
        return _looked_up(contract.symbol, before)
    if finding.kind is ChangeKind.OPERATOR_TAKEN:
        text = _registered(contract.symbol, after, _TAKEN)
        return Program(text, ("RuntimeError",), (contract.symbol,), _modules(after))
    if contract.signature is None:
        raise NotWitnessable("the implementation cannot be followed")
    text = _registered(contract.symbol, [*before, *after], _ASKED) + _SIGNATURES
    text += _IMPLEMENTED.format(definition=definition(contract.signature.parameters, "ours"))
    return Program(text, ("TypeError",), (), _modules([*before, *after]))


def _looked_up(symbol: str, before: Sequence[Registration]) -> Program:
    name = symbol.partition("::")[2]
    text = _registered(symbol, before, _ASKED)
    return Program(text, ("AttributeError",), (f"'{name}'",), _modules(before))


def _registered(symbol: str, registrations: Sequence[Registration], then: str) -> str:
    """Return a program that imports the modules that register the operator, followed by ``then``."""
    namespace, _, name = symbol.partition("::")
    modules = list(_modules(registrations))
    return _REGISTERED.format(modules=modules) + then.format(namespace=namespace, name=name)


def _modules(registrations: Sequence[Registration]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(r.module for r in registrations))
