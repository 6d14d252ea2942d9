"""Upstream's methods that do not run, since ours leave them out or stand in their place: whether an attribute
is read that nobody else sets."""

from __future__ import annotations

from syncbot.api.symbols import Symbol
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.replaced_setters import ReplacedSetterContract
from syncbot.contracts.kinds.skipped_inits import SkippedInitContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import NotWitnessable, Program
from syncbot.witness.program_text import SETTERS, looked_up, upstream_class, upstream_symbol
from syncbot.witness.registry import maker

_READ = """\
import pkgutil
{setters}
kind = {kind}
methods, hidden = {{}}, set()
for base in kind.__mro__:
    for name, member in vars(base).items():
        for code in functions(member) if name not in hidden else ():
            methods[f"{{base.__name__}}.{{name}}"] = code
        # What does not go on to the class above stands for its method.
        if not any("super" in code.co_names for code in functions(member)) and name != "{method}":
            hidden.add(name)
left_out = methods.pop("{left_out}", None)
readers = [name for name, code in methods.items() if NAME in code.co_names and not sets(code)]
if readers and not hasattr(kind, NAME) and not any(map(sets, methods.values())):
    raise AttributeError(f"{{readers[0]}} reads the attribute '{{NAME}}', which only {left_out} sets")
"""


@maker(SkippedInitContract)
def skipped_init_program(contract: SkippedInitContract, finding: Finding, pair: Comparison) -> Program:
    """Who reads and who sets the attribute, by the compiled code of the class and its bases."""
    if finding.kind is not ChangeKind.ATTRIBUTE_ADDED or finding.ground is not Ground.READ_OF_SELF:
        raise NotWitnessable("what reads the attribute is no method of the class")
    owner = upstream_symbol(contract.symbol, pair)
    return _program(upstream_class(contract.receiver, pair), owner, "__init__", finding)


@maker(ReplacedSetterContract)
def replaced_setter_program(contract: ReplacedSetterContract, finding: Finding, pair: Comparison) -> Program:
    """As for a constructor, for the method that is replaced."""
    owner = upstream_symbol(contract.owner, pair)
    return _program(owner, owner, contract.name, finding)


def _program(class_: Symbol, owner: Symbol, method: str, finding: Finding) -> Program:
    """A look at all methods of a class, but for that of ``owner`` which does not run."""
    name = finding.details.subject
    left_out = f"{owner.qualname.rpartition('.')[2]}.{method}"
    text = _READ.format(
        setters=SETTERS.format(name=name), kind=looked_up(class_), left_out=left_out, method=method
    )
    return Program(text, ("AttributeError",), (f"'{name}'",), (class_.module,))
