"""Attributes of the backend's classes that upstream's constructor sets on each object."""

from __future__ import annotations

from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.hidden_attributes import ClassAttributeContract
from syncbot.contracts.kinds.unsettable_properties import UnsettablePropertyContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import Program
from syncbot.witness.program_text import SETTERS, looked_up, upstream_class
from syncbot.witness.registry import maker

_HIDDEN = """\
import pkgutil
{setters}
kind = {kind}
if any(map(sets, functions(kind.__init__))):
    raise AttributeError(f"{{kind.__qualname__}}.__init__ sets '{{NAME}}', which hides what a subclass sets")
"""


@maker(ClassAttributeContract, UnsettablePropertyContract)
def hidden_program(
    contract: ClassAttributeContract | UnsettablePropertyContract, finding: Finding, pair: Comparison
) -> Program:
    """Whether the constructor sets it: Python looks at the object before its class, and refuses where a
    property without a setter has that name."""
    owner = upstream_class(contract.receiver, pair)
    text = _HIDDEN.format(setters=SETTERS.format(name=contract.name), kind=looked_up(owner))
    return Program(text, ("AttributeError",), (f"'{contract.name}'",), (owner.module,))
