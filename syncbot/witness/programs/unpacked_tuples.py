"""Named tuples that the backend unpacks: how many fields they have."""

from __future__ import annotations

from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.unpacked_tuples import UnpackedTupleContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import Program
from syncbot.witness.program_text import looked_up, upstream_symbol
from syncbot.witness.registry import maker

_UNPACKED = """\
import pkgutil

kind = {kind}
{targets} = kind(*kind._fields)
"""


@maker(UnpackedTupleContract)
def unpacked_program(contract: UnpackedTupleContract, finding: Finding, pair: Comparison) -> Program:
    """The same unpacking of a tuple whose values are the names of its fields."""
    class_ = upstream_symbol(contract.symbol, pair)
    targets = ", ".join(f"value_{index}" for index in range(contract.targets))
    text = _UNPACKED.format(kind=looked_up(class_), targets=targets + "," * (contract.targets == 1))
    return Program(text, ("ValueError",), ("values to unpack",), (class_.module,))
