"""Dataclasses of the backend that derive from upstream ones: whether Python makes such a class."""

from __future__ import annotations

from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.frozen_dataclasses import DataclassContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import Program
from syncbot.witness.program_text import looked_up, upstream_symbol
from syncbot.witness.registry import maker

_DERIVED = """\
import dataclasses
import pkgutil


@dataclasses.dataclass(frozen={frozen})
class Mine({base}): ...
"""


@maker(DataclassContract)
def dataclass_program(contract: DataclassContract, finding: Finding, pair: Comparison) -> Program:
    """A dataclass of the same sort, without fields of its own."""
    base = upstream_symbol(contract.symbol, pair)
    text = _DERIVED.format(frozen=contract.frozen, base=looked_up(base))
    return Program(text, ("TypeError",), ("frozen",), (base.module,))
