"""Hooks that a plugin manager of upstream's calls."""

from __future__ import annotations

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.hooks import HookContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import Program
from syncbot.witness.registry import maker

_SPECIFIED = """\
import importlib
import inspect

NAME = "{name}"
module = importlib.import_module("{module}")
owners = [module, *(owner for owner in vars(module).values() if inspect.isclass(owner))]
specified = [vars(owner)[NAME] for owner in owners if NAME in vars(owner)]
if not specified:
    raise AttributeError(f"{{module.__name__}} no longer specifies '{{NAME}}'")
"""

_WITH_ARGUMENT = """\
if not any("{argument}" in inspect.signature(hook).parameters for hook in specified):
    raise TypeError(f"{{NAME}}() no longer has the argument '{argument}'")
"""


@maker(HookContract)
def hook_program(contract: HookContract, finding: Finding, pair: Comparison) -> Program:
    """The look-up of the specification, and of an argument in it."""
    module = contract.symbol.removesuffix(f".{contract.name}")
    text = _SPECIFIED.format(name=contract.name, module=module)
    if finding.kind is ChangeKind.PARAMETER_REMOVED:
        text += _WITH_ARGUMENT.format(argument=finding.subject)
        return Program(text, ("TypeError",), (f"'{finding.subject}'",), (module,))
    gone = pair.new.resolve(module) is None
    words = ("No module named",) if gone else (f"'{contract.name}'",)
    return Program(text, ("AttributeError", "ImportError"), words, (module,))
