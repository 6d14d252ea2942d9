"""Classes that objects are tested for: by ``isinstance``, and by the values that a case takes by place."""

from __future__ import annotations

from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.class_patterns import ClassPatternContract, by_place
from syncbot.contracts.kinds.instance_checks import InstanceCheckContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import Program
from syncbot.witness.program_text import looked_up, upstream_class, upstream_symbol
from syncbot.witness.registry import maker

_CHECKED = """\
import pkgutil

isinstance(object(), {kind})
"""
_BY_PLACE = """\
import pkgutil

kind = {kind}
given = kind.__match_args__[:{places}]
if given != {names}:
    raise TypeError(f"{{kind.__qualname__}} gives a case {{', '.join(given)}} by place")
"""


@maker(InstanceCheckContract)
def check_program(contract: InstanceCheckContract, finding: Finding, pair: Comparison) -> Program:
    """The test of any object."""
    class_ = upstream_symbol(contract.symbol, pair)
    return Program(_CHECKED.format(kind=looked_up(class_)), ("TypeError",), (), (class_.module,))


@maker(ClassPatternContract)
def pattern_program(contract: ClassPatternContract, finding: Finding, pair: Comparison) -> Program:
    """The attributes that the class gives to the case by place."""
    class_ = upstream_class(contract.symbol, pair)
    names = (by_place(pair.old, class_) or ())[: contract.places]
    text = _BY_PLACE.format(kind=looked_up(class_), places=contract.places, names=names)
    return Program(text, ("TypeError",), ("by place",), (class_.module,))
