from __future__ import annotations

import pytest

from syncbot.contracts.changes import ChangeKind, MemberDetails, NameDetails
from syncbot.patching.registry import ApiChange
from syncbot.patching.rewrites.symbol_renamed import SymbolRenamed

from .cases import both_ways, never

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    SymbolRenamed(symbol="up.mod.Thing", new_name="Renamed"),
    SymbolRenamed(symbol="up.m.Thing", new_name="Renamed"),
]

RULE = SymbolRenamed(symbol="up.mod.Old", new_name="New")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from up.mod import Old\nOld()\n", "from up.mod import New as Old\nOld()\n"),
        ("from up.mod import Old as New\nNew()\n", "from up.mod import New\nNew()\n"),
        ("from up.mod import Old as O\nO()\n", "from up.mod import New as O\nO()\n"),
        ("from up import mod\nmod.Old(mod.x)\n", "from up import mod\nmod.New(mod.x)\n"),
        ("import up.mod\nup.mod.Old.attribute\n", "import up.mod\nup.mod.New.attribute\n"),
    ],
)
def test_it_is_imported_by_its_new_name(before: str, after: str) -> None:
    both_ways(RULE, before, after)


@pytest.mark.parametrize("code", ["from up.mod2 import Old\n", "class Old: ...\nOld()\n", "x.Old\n"])
def test_other_names_stay(code: str) -> None:
    never(RULE, code)


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
