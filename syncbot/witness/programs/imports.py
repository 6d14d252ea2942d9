"""Names that are imported, by a statement or by a string."""

from __future__ import annotations

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.imports import ImportContract
from syncbot.contracts.kinds.strings import StringContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import NotWitnessable, Program
from syncbot.witness.program_text import looked_up
from syncbot.witness.registry import maker

_GONE = {
    *(ChangeKind.MODULE_MOVED, ChangeKind.MODULE_REMOVED, ChangeKind.SYMBOL_MOVED),
    *(ChangeKind.SYMBOL_REMOVED, ChangeKind.SYMBOL_RENAMED),
}


@maker(ImportContract)
def import_program(contract: ImportContract, finding: Finding, pair: Comparison) -> Program:
    """The import itself."""
    if finding.kind not in _GONE:
        raise NotWitnessable("the import still works; what it gives is used otherwise")
    module = contract.from_module
    if contract.star and pair.new_tree.exists(module):
        return Program(
            f"from {module} import *\n\n{contract.name}\n", ("NameError",), (f"'{contract.name}'",), (module,)
        )
    text = f"import {module}" if contract.name is None else f"from {module} import {contract.name}"
    # Where the module is gone, the message names its last part that is missing.
    gone = not pair.new_tree.exists(module)
    words = ("No module named",) if gone else (f"'{contract.name}'",)
    return Program(f"{text}\n", ("ImportError",), words, (module,))


@maker(StringContract)
def string_program(contract: StringContract, finding: Finding, pair: Comparison) -> Program:
    """The look-up of what the string names."""
    name = contract.symbol.rpartition(".")[2]
    text = f"import pkgutil\n\n{looked_up(contract.symbol)}\n"
    before = pair.old.resolve(contract.symbol)
    modules = (before.module,) if before is not None else ()
    return Program(text, ("ImportError", "AttributeError"), (f"{name}'",), modules)
