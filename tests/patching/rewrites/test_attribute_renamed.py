from __future__ import annotations

from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.patching.registry import ApiChange
from syncbot.patching.rewrites.attribute_renamed import AttributeRenamed

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    AttributeRenamed(base="up.mod.Thing", old="uva", new="extra"),
    AttributeRenamed(base="up.m.Thing", old="size", new="length", receivers=("other",)),
]

RULE = AttributeRenamed(base="up.mod.Runner", old="device_count", new="world_size")


def test_it_answers_renames() -> None:
    change = ApiChange(
        ChangeKind.ATTRIBUTE_RENAMED,
        "up.mod.Runner.device_count",
        MemberDetails(name="device_count", new="world_size"),
    )
    assert AttributeRenamed.answer(change) == RULE
    assert (
        AttributeRenamed.answer(ApiChange(ChangeKind.ATTRIBUTE_REMOVED, "up.mod.Runner.device_count")) is None
    )
