from __future__ import annotations

import pytest

from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.patching.registry import ApiChange
from syncbot.patching.rewrites.attribute_renamed import AttributeRenamed

from .cases import both_ways, never

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    AttributeRenamed(base="up.mod.Thing", old="uva", new="extra"),
    AttributeRenamed(base="up.m.Thing", old="size", new="length", receivers=("other",)),
]

RULE = AttributeRenamed(base="up.mod.Runner", old="device_count", new="world_size")


def test_provable_receivers_and_overrides_are_renamed() -> None:
    both_ways(
        RULE,
        """
        from up.mod import Runner

        class Mine(Runner):
            device_count: int = 1

            def run(self, other: Runner, unknown):
                self.inner: Runner = other
                self.device_count += self.inner.device_count + other.device_count
                return super().device_count, unknown.device_count, Mine.device_count

        class Holder:
            def __init__(self, runner: "Runner"):
                self.runner = runner
            def show(self):
                return self.runner.device_count, self.device_count
        """,
        """
        from up.mod import Runner

        class Mine(Runner):
            world_size: int = 1

            def run(self, other: Runner, unknown):
                self.inner: Runner = other
                self.world_size += self.inner.world_size + other.world_size
                return super().world_size, unknown.device_count, Mine.world_size

        class Holder:
            def __init__(self, runner: "Runner"):
                self.runner = runner
            def show(self):
                return self.runner.world_size, self.device_count
        """,
    )


def test_a_method_is_renamed_with_its_overrides() -> None:
    both_ways(
        RULE,
        "from up.mod import Runner\nclass M(Runner):\n    def device_count(self): ...\n",
        "from up.mod import Runner\nclass M(Runner):\n    def world_size(self): ...\n",
    )


def test_receivers_that_the_patch_vouches_for() -> None:
    rule = RULE.model_copy(update={"receivers": ("state.runner",)})
    both_ways(rule, "state.runner.device_count\n", "state.runner.world_size\n")
    never(rule, "state.other.device_count\nstate.runner.x\n")


@pytest.mark.parametrize(
    "code",
    [
        "def f(x: Runner): return x.device_count\n",
        "from up.mod import Runner\ndef f(x: Runner):\n    x = g()\n    return x.device_count\n",
        "from up.mod import Runner\nclass A(Runner):\n    def f(self):\n        self = g()\n"
        "        return self.device_count\n",
    ],
)
def test_what_cannot_be_proven_stays(code: str) -> None:
    never(RULE, code)


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
