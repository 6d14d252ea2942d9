"""Dictionaries whose keys upstream declares (PEP 589)."""

from __future__ import annotations

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.typed_dicts import TypedDictContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import Program
from syncbot.witness.program_text import looked_up, upstream_symbol
from syncbot.witness.registry import maker

_READ = """\
import pkgutil

kind = {kind}
if not hasattr(kind, "__getitem__"):
    raise TypeError(f"objects of {{kind.__qualname__}} have no keys: '{key}'")
if "{key}" not in kind.__annotations__:
    raise KeyError("{key}")
"""
_REQUIRED = """\
import pkgutil

if "{key}" in {kind}.__required_keys__:
    raise TypeError("the key '{key}' is required")
"""


@maker(TypedDictContract)
def key_program(contract: TypedDictContract, finding: Finding, pair: Comparison) -> Program:
    """Whether the class declares the key, or asks for it."""
    class_, key = upstream_symbol(contract.symbol, pair), finding.subject
    how = _REQUIRED if finding.kind is ChangeKind.KEY_REQUIRED else _READ
    text = how.format(kind=looked_up(class_), key=key)
    return Program(text, ("KeyError", "TypeError"), (f"'{key}'",), (class_.module,))
