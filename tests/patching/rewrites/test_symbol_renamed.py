from __future__ import annotations

import pytest

from syncbot.contracts.changes import ChangeKind, MemberDetails, NameDetails
from syncbot.patching.registry import ApiChange
from syncbot.patching.rewrites.symbol_renamed import SymbolRenamed

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    SymbolRenamed(symbol="up.mod.Thing", new_name="Renamed"),
    SymbolRenamed(symbol="up.m.Thing", new_name="Renamed"),
]

RULE = SymbolRenamed(symbol="up.mod.Old", new_name="New")


def test_a_module_at_the_top_is_no_symbol() -> None:
    with pytest.raises(ValueError, match="symbol"):
        SymbolRenamed(symbol="up", new_name="down")


def test_it_answers_renames_of_symbols_only() -> None:
    assert (
        SymbolRenamed.answer(
            ApiChange(
                ChangeKind.SYMBOL_RENAMED, "up.mod.Old", NameDetails(old="up.mod.Old", new="up.mod.New")
            )
        )
        == RULE
    )
    assert (
        SymbolRenamed.answer(
            ApiChange(ChangeKind.METHOD_RENAMED, "up.mod.C.old", MemberDetails(name="old", new="new"))
        )
        is None
    )
