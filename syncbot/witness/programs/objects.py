"""Objects of upstream's classes: whether they can be made, and what operators find in their class."""

from __future__ import annotations

from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.made_objects import MadeObjectContract
from syncbot.contracts.kinds.special_methods import DATA_CLASS, SpecialMethodContract
from syncbot.contracts.kinds.unhashable_objects import UnhashableContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import Program
from syncbot.witness.program_text import looked_up, upstream_symbol
from syncbot.witness.registry import maker

_ASKED = """\
import pkgutil

kind = {kind}
if not any("{name}" in vars(base) for base in kind.__mro__[:-1]):
    raise AttributeError("{class_} has no '{name}'")
"""


@maker(MadeObjectContract)
def made_program(contract: MadeObjectContract, finding: Finding, pair: Comparison) -> Program:
    """An object, without the constructor of its class."""
    class_ = upstream_symbol(contract.symbol, pair)
    text = f"import pkgutil\n\nobject.__new__({looked_up(class_)})\n"
    return Program(text, ("TypeError",), ("abstract", finding.details.subject), (class_.module,))


@maker(UnhashableContract)
def unhashable_program(contract: UnhashableContract, finding: Finding, pair: Comparison) -> Program:
    """Whether the class says that its objects have no hash."""
    class_ = upstream_symbol(contract.symbol, pair)
    text = (
        f"import pkgutil\n\nkind = {looked_up(class_)}\n"
        "struct = getattr(kind, '__struct_config__', None)\n"
        "if kind.__hash__ is None or (struct is not None and struct.eq and not struct.frozen):\n"
        "    raise TypeError('unhashable')\n"
    )
    return Program(text, ("TypeError",), ("unhashable",), (class_.module,))


@maker(SpecialMethodContract)
def special_method_program(contract: SpecialMethodContract, finding: Finding, pair: Comparison) -> Program:
    """Python looks for such a method in the class and its bases, not in the object."""
    class_ = upstream_symbol(contract.symbol, pair)
    if contract.asked == DATA_CLASS:
        text = f"import dataclasses\nimport pkgutil\n\ndataclasses.fields({looked_up(class_)})\n"
        return Program(text, ("TypeError",), ("dataclass",), (class_.module,))
    text = _ASKED.format(kind=looked_up(class_), class_=class_.qualname, name=contract.asked)
    return Program(text, ("AttributeError",), (f"'{contract.asked}'",), (class_.module,))
