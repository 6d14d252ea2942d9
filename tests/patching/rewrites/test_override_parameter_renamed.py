from __future__ import annotations

import pytest

from syncbot.contracts.changes import ChangeKind, ParameterDetails
from syncbot.patching.errors import CannotRewrite
from syncbot.patching.registry import ApiChange
from syncbot.patching.rewrites.override_parameter_renamed import OverrideParameterRenamed
from syncbot.patching.source import Source

from .cases import both_ways, never

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    OverrideParameterRenamed(base="up.mod.Thing", method="run", old="size", new="extra"),
    OverrideParameterRenamed(base="up.m.Thing", method="run", old="flag", new="mark"),
]

RULE = OverrideParameterRenamed(base="up.mod.Base", method="run", old="size", new="block_size")


def test_the_parameter_and_its_uses_are_renamed() -> None:
    both_ways(
        RULE,
        """
        from up.mod import Base

        class Mine(Base):
            def run(self, size: int = 1, *rest):
                size += self.size
                total = [size for _ in range(size)]
                return super().run(size=size), total, other(size=1), f"{size}"

            def other(self, size): return size
        """,
        """
        from up.mod import Base

        class Mine(Base):
            def run(self, block_size: int = 1, *rest):
                block_size += self.size
                total = [block_size for _ in range(block_size)]
                return super().run(block_size=block_size), total, other(size=1), f"{block_size}"

            def other(self, size): return size
        """,
    )


def test_a_name_in_use_is_not_taken() -> None:
    code = "from up.mod import Base\nclass M(Base):\n    def run(self, size):\n        block_size = size\n"
    with pytest.raises(CannotRewrite, match="already uses"):
        RULE.forward(Source(code))


def test_other_classes_stay() -> None:
    never(RULE, "class Mine(Base):\n    def run(self, size, block_size2): ...\n")


def test_it_answers_overrides() -> None:
    details = ParameterDetails(parameter="block_size", method="run", old_name="size")
    change = ApiChange(ChangeKind.PARAMETER_RENAMED, "up.mod.Base.run", details, "override")
    assert OverrideParameterRenamed.answer(change) == RULE
    added = ApiChange(ChangeKind.PARAMETER_ADDED, "up.mod.Base.run", details, "override")
    assert OverrideParameterRenamed.answer(added) is None
