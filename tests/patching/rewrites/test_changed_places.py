"""Another symbol as base, decorator, patched name or owner of members; other uses stay."""

from __future__ import annotations

import pytest

from syncbot.patching.errors import CannotRewrite
from syncbot.patching.rewrites.base_changed import BaseChanged
from syncbot.patching.rewrites.decorator_changed import DecoratorChanged
from syncbot.patching.rewrites.member_moved import MemberMoved
from syncbot.patching.rewrites.monkey_patch_moved import MonkeyPatchMoved
from syncbot.patching.source import Source

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    BaseChanged(old="up.mod.Thing", new="up.elsewhere.Base"),
    BaseChanged(old="up.m.Thing", new="up.n.Base"),
    DecoratorChanged(old="up.mod.Thing", new="up.elsewhere.mark"),
    DecoratorChanged(old="up.m.mark", new="up.n.mark"),
    MemberMoved(old="up.mod.Thing", new="up.elsewhere.Part", members=("LIMIT",)),
    MemberMoved(old="up.m.Limits", new="up.n.Bounds", members=("TOP",)),
    MonkeyPatchMoved(old="up.mod.Thing.hook", new="up.mod.Thing.renamed"),
    MonkeyPatchMoved(old="up.m.hook", new="up.n.hook"),
]

BASE = BaseChanged(old="up.mod.Old", new="up.other.New")


def test_a_name_that_means_something_else_is_not_taken() -> None:
    with pytest.raises(CannotRewrite, match="New already means something else"):
        BASE.forward(Source("from up.mod import Old\nNew = Old\nclass Mine(Old): ...\n"))


def test_members_have_names() -> None:
    with pytest.raises(ValueError, match="at least 1 item"):
        MemberMoved(old="a.B", new="a.C", members=())
