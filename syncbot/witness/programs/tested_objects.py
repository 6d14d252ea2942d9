"""Classes that objects are tested for: by ``isinstance``, and by the values that a case takes by place."""

from __future__ import annotations

from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.instance_checks import InstanceCheckContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import Program
from syncbot.witness.program_text import looked_up, upstream_symbol
from syncbot.witness.registry import maker

_CHECKED = """\
import pkgutil

isinstance(object(), {kind})
"""


@maker(InstanceCheckContract)
def check_program(contract: InstanceCheckContract, finding: Finding, pair: Comparison) -> Program:
    """The test of any object."""
    class_ = upstream_symbol(contract.symbol, pair)
    return Program(_CHECKED.format(kind=looked_up(class_)), ("TypeError",), (), (class_.module,))
