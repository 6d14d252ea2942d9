"""Look-ups of the backend in upstream's classes, functions and tables: members, keys, type arguments."""

from __future__ import annotations

from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.enum_lookups import EnumLookupContract
from syncbot.contracts.kinds.function_attributes import FunctionAttributeContract
from syncbot.contracts.kinds.generic_classes import GenericClassContract
from syncbot.contracts.kinds.table_keys import TableKeyContract
from syncbot.contracts.model import Finding
from syncbot.witness.model import Program
from syncbot.witness.program_text import looked_up, upstream_symbol
from syncbot.witness.registry import maker


@maker(EnumLookupContract)
def enum_program(contract: EnumLookupContract, finding: Finding, pair: Comparison) -> Program:
    """The look-up itself."""
    class_ = upstream_symbol(contract.symbol, pair)
    key = f"[{contract.key!r}]" if contract.by_name else f"({contract.key})"
    error = "KeyError" if contract.by_name else "ValueError"
    return Program(_text(f"{looked_up(class_)}{key}"), (error,), (contract.key,), (class_.module,))


@maker(TableKeyContract)
def key_program(contract: TableKeyContract, finding: Finding, pair: Comparison) -> Program:
    """The look-up itself."""
    table = upstream_symbol(contract.symbol, pair)
    return Program(
        _text(f"{looked_up(table)}[{contract.key}]"), ("KeyError",), (contract.key,), (table.module,)
    )


@maker(FunctionAttributeContract)
def function_attribute_program(
    contract: FunctionAttributeContract, finding: Finding, pair: Comparison
) -> Program:
    """The attribute, without a call."""
    function = upstream_symbol(contract.symbol, pair)
    text = _text(f"{looked_up(function)}.{contract.name}")
    return Program(text, ("AttributeError",), (f"'{contract.name}'",), (function.module,))


@maker(GenericClassContract)
def type_arguments_program(contract: GenericClassContract, finding: Finding, pair: Comparison) -> Program:
    """The class with any type arguments: as many as it has parameters before the change."""
    class_ = upstream_symbol(contract.symbol, pair)
    text = (
        f"import pkgutil\n\nkind = {looked_up(class_)}\n"
        "kind[(object,) * max(len(getattr(kind, '__parameters__', ())), 1)]\n"
    )
    return Program(text, ("TypeError",), (), (class_.module,))


def _text(expression: str) -> str:
    return f"import pkgutil\n\n{expression}\n"
