"""Calls of an object that may be of several classes: the one of them that fails is shown for its class."""

from __future__ import annotations

from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.calls import judge_call
from syncbot.contracts.kinds.union_calls import UnionCallContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import NotWitnessable, Program
from syncbot.witness.programs.calls import call_program
from syncbot.witness.registry import maker


@maker(UnionCallContract)
def union_call_program(contract: UnionCallContract, finding: Finding, pair: Comparison) -> Program:
    """The witness of the call of that class's method that the finding tells."""
    for call in contract.calls:
        for found in judge_call(call, pair):
            if (found.symbol, found.subject) == (finding.symbol, finding.subject):
                return call_program(call, found, pair)
    raise NotWitnessable("nothing shows which of the classes it is")
