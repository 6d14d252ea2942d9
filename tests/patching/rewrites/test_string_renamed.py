from __future__ import annotations

from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.patching.registry import ApiChange
from syncbot.patching.rewrites.string_renamed import StringRenamed

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    StringRenamed(old="up.mod.Thing", new="up.elsewhere.Thing"),
    StringRenamed(old="up.m.Thing", new="up.n.Thing"),
]

RULE = StringRenamed(old="up.mod.Old", new="up.other.New")


def test_it_answers_strings_only() -> None:
    details = NameDetails(old="up.mod.Old", new="up.other.New")
    assert StringRenamed.answer(ApiChange(ChangeKind.SYMBOL_MOVED, "up.mod.Old", details, "string")) == RULE
    assert StringRenamed.answer(ApiChange(ChangeKind.SYMBOL_MOVED, "up.mod.Old", details, "import")) is None
