"""Objects of upstream's classes: whether they can be made, and what operators find in their class."""

from __future__ import annotations

from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.made_objects import MadeObjectContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import Program
from syncbot.witness.program_text import looked_up, upstream_symbol
from syncbot.witness.registry import maker


@maker(MadeObjectContract)
def made_program(contract: MadeObjectContract, finding: Finding, pair: Comparison) -> Program:
    """An object, without the constructor of its class."""
    class_ = upstream_symbol(contract.symbol, pair)
    text = f"import pkgutil\n\nobject.__new__({looked_up(class_)})\n"
    return Program(text, ("TypeError",), ("abstract", finding.details.subject), (class_.module,))
