from __future__ import annotations

import pytest

from syncbot.contracts.changes import ChangeKind, ParameterDetails
from syncbot.patching.errors import CannotRewrite
from syncbot.patching.registry import ApiChange
from syncbot.patching.rewrites.override_parameter_renamed import OverrideParameterRenamed
from syncbot.patching.source import Source

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    OverrideParameterRenamed(base="up.mod.Thing", method="run", old="size", new="extra"),
    OverrideParameterRenamed(base="up.m.Thing", method="run", old="flag", new="mark"),
]

RULE = OverrideParameterRenamed(base="up.mod.Base", method="run", old="size", new="block_size")


def test_a_name_in_use_is_not_taken() -> None:
    code = "from up.mod import Base\nclass M(Base):\n    def run(self, size):\n        block_size = size\n"
    with pytest.raises(CannotRewrite, match="already uses"):
        RULE.forward(Source(code))


def test_it_answers_overrides() -> None:
    details = ParameterDetails(parameter="block_size", method="run", old_name="size")
    change = ApiChange(ChangeKind.PARAMETER_RENAMED, "up.mod.Base.run", details, "override")
    assert OverrideParameterRenamed.answer(change) == RULE
    added = ApiChange(ChangeKind.PARAMETER_ADDED, "up.mod.Base.run", details, "override")
    assert OverrideParameterRenamed.answer(added) is None
