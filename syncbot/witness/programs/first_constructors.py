"""Objects of classes that have their first constructor of their own: whether what is passed binds to it."""

from __future__ import annotations

from syncbot.contracts.calls.targets import CallContract
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.first_constructors import FirstConstructorContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import Program
from syncbot.witness.programs.calls import call_program
from syncbot.witness.registry import maker


@maker(FirstConstructorContract)
def made_program(contract: FirstConstructorContract, finding: Finding, pair: Comparison) -> Program:
    """The binding of the arguments, as those of any call."""
    call = CallContract(symbol=contract.symbol, arguments=contract.arguments, place=contract.place)
    return call_program(call, finding, pair)
