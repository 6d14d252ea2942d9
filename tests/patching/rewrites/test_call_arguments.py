from __future__ import annotations

import pytest

from syncbot.contracts.changes import ArgumentDetails, ChangeKind
from syncbot.patching.errors import CannotRewrite
from syncbot.patching.registry import ApiChange, find
from syncbot.patching.rewrites.call_argument_added import CallArgumentAdded
from syncbot.patching.rewrites.call_argument_renamed import CallArgumentRenamed
from syncbot.patching.source import Source

from .cases import both_ways, forward_only, never

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    CallArgumentAdded(callee="up.mod.Thing", argument="extra", value="None"),
    CallArgumentAdded(callee="up.m.make", argument="extra", value="None", position=3),
    CallArgumentRenamed(callee="up.mod.Thing", old="size", new="extra"),
    CallArgumentRenamed(callee="up.m.make", old="a", new="b"),
]

CallArgumentRemoved = find("call_argument_removed")
FUNCTION = CallArgumentAdded(callee="up.mod.make", argument="device", value="None")


def test_backward_also_finds_it_by_its_place() -> None:
    rule = FUNCTION.model_copy(update={"position": 1}).mirror()
    assert isinstance(rule, CallArgumentRemoved)
    forward_only(
        rule,
        "from up.mod import make\nmake(a, device, c)\nmake(a)\n",
        "from up.mod import make\nmake(a, c)\nmake(a)\n",
    )


def test_an_argument_is_renamed() -> None:
    rule = CallArgumentRenamed(callee="up.mod.make", old="size", new="block_size")
    both_ways(
        rule,
        "from up import mod\nmod.make(1, size=2, **kw)  # two\n",
        "from up import mod\nmod.make(1, block_size=2, **kw)  # two\n",
    )
    never(rule, "from up import mod\nmod.other(size=2)\n")
    details = ArgumentDetails(argument="size", new_name="block_size")
    assert (
        CallArgumentRenamed.answer(ApiChange(ChangeKind.PARAMETER_RENAMED, "up.mod.make", details, "call"))
        is None
    )
    shown = ArgumentDetails(argument="size", new_name="block_size", precedent="up.use.start")
    assert (
        CallArgumentRenamed.answer(ApiChange(ChangeKind.PARAMETER_RENAMED, "up.mod.make", shown, "call"))
        == rule
    )


def test_they_answer_calls_only() -> None:
    removed = ArgumentDetails(argument="device")
    change = ApiChange(ChangeKind.PARAMETER_REMOVED, "up.mod.make", removed, "call")
    assert CallArgumentRemoved.answer(change) == FUNCTION.mirror().model_copy(update={"value": None})
    shown = ApiChange(
        ChangeKind.PARAMETER_REMOVED, "up.mod.make", ArgumentDetails(argument="device", value="None"), "call"
    )
    assert CallArgumentRemoved.answer(shown) == FUNCTION.mirror()
    too_many = ArgumentDetails(argument="2")
    assert (
        CallArgumentRemoved.answer(ApiChange(ChangeKind.PARAMETER_REMOVED, "up.mod.make", too_many, "call"))
        is None
    )
    # What to pass for a required parameter nobody can guess.
    assert (
        CallArgumentAdded.answer(ApiChange(ChangeKind.PARAMETER_ADDED, "up.mod.make", removed, "call"))
        is None
    )
    override = ApiChange(ChangeKind.PARAMETER_REMOVED, "up.mod.make", removed, "override")
    assert CallArgumentRemoved.answer(override) is None


def test_a_comment_behind_what_becomes_the_last_argument_stays() -> None:
    rule = CallArgumentRemoved(callee="up.mod.build", argument="flag", value="True")
    for tail in (")", "\n)", "  # three\n)"):
        before = f"from up.mod import build\nbuild(\n    size=2, # two\n    flag=True{tail}\n"
        after = rule.forward(Source(before))
        assert "size=2" in after
        assert "# two\n" in after
        assert "flag" not in after
        compile(after, "<after>", "exec")


def test_an_argument_whose_value_nobody_knows_can_only_be_left_out() -> None:
    details = ArgumentDetails(argument="device")
    change = ApiChange(ChangeKind.PARAMETER_REMOVED, "up.mod.make", details, "call")
    rule = CallArgumentRemoved.answer(change)
    assert rule is not None
    passed, without = "from up.mod import make\nmake(1, device=2)\n", "from up.mod import make\nmake(1)\n"
    assert rule.forward(Source(passed)) == rule.mirror().backward(Source(passed)) == without
    with pytest.raises(CannotRewrite, match=r"what to pass for device of up\.mod\.make is not known"):
        rule.mirror().forward(Source(without))
