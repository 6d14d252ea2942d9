"""Another symbol as base, decorator, patched name or owner of members; other uses stay."""

from __future__ import annotations

import pytest

from syncbot.patching.errors import CannotRewrite
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.base_changed import BaseChanged
from syncbot.patching.rewrites.decorator_changed import DecoratorChanged
from syncbot.patching.rewrites.member_moved import MemberMoved
from syncbot.patching.rewrites.monkey_patch_moved import MonkeyPatchMoved
from syncbot.patching.source import Source

from .cases import both_ways, never

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
DECORATOR = DecoratorChanged(old="up.mod.old", new="up.other.new")
MEMBER = MemberMoved(old="up.mod.Old", new="up.other.New", members=("LIMIT", "Kind"))
PATCH = MonkeyPatchMoved(old="up.mod.run", new="up.deep.other.run")


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        # All uses: the import moves and keeps its local name.
        (
            BASE,
            "from up.mod import A, Old  # why\n\n\nclass Mine(Old, A): ...\n",
            "from up.mod import A  # why\nfrom up.other import New as Old\n\n\nclass Mine(Old, A): ...\n",
        ),
        # Some uses: the new name is imported beside the old one.
        (
            BASE,
            "from up.mod import Old\n\nx = Old()\nclass Mine(Old[int],  metaclass=M): ...\n",
            "from up.mod import Old\nfrom up.other import New\n\nx = Old()\nclass Mine(New[int],  metaclass=M): ...\n",
        ),
        (
            BASE,
            "import up.mod\nimport sys\nclass Mine(up.mod.Old): x = up.mod.y\n",
            "import up.mod\nimport up.other\nimport sys\nclass Mine(up.other.New): x = up.mod.y\n",
        ),
        (
            BaseChanged(old="up.mod.Old", new="up.mod.New"),
            "from up import mod\nclass Mine(mod.Old): x = mod.Old.y\n",
            "from up import mod\nclass Mine(mod.New): x = mod.Old.y\n",
        ),
        (
            DECORATOR,
            "from up.mod import old, other\n\n@other\n@old(1, x=old)  # why\ndef f(): ...\n",
            "from up.mod import old, other\nfrom up.other import new\n\n@other\n@new(1, x=old)  # why\n"
            "def f(): ...\n",
        ),
        (
            DECORATOR,
            "def g():\n    from up.mod import old\n    @old\n    class C: ...\n",
            "def g():\n    from up.other import new as old\n    @old\n    class C: ...\n",
        ),
        (
            MEMBER,
            "from up.mod import Old\nx = Old.LIMIT + Old.other, Old . Kind.a\n",
            "from up.mod import Old\nfrom up.other import New\nx = New.LIMIT + Old.other, New . Kind.a\n",
        ),
        (
            MemberMoved(old="up", new="down", members=("LIMIT",)),
            "import up as u\n\nx = u.LIMIT, u.other\n",
            "import up as u\nimport down\n\nx = down.LIMIT, u.other\n",
        ),
        (
            MemberMoved(old="up", new="down", members=("LIMIT",)),
            "import up\nimport down\n\nx = up.LIMIT, up.other, down.y\n",
            "import up\nimport down\n\nx = down.LIMIT, up.other, down.y\n",
        ),
        (
            MemberMoved(old="up", new="down", members=("LIMIT",)),
            "import up, sys\nup.LIMIT\n",
            "import down, sys\ndown.LIMIT\n",
        ),
        (
            PATCH,
            "import up.mod\nup.mod.run = mine  # ours\nsetattr(up.mod, 'run', mine)\n",
            "import up.deep.other\nup.deep.other.run = mine  # ours\nsetattr(up.deep.other, 'run', mine)\n",
        ),
        (
            PATCH,
            "from up import mod\nmod.run = mod.other(mod.run)\n",
            "from up import mod\nfrom up.deep import other\nother.run = mod.other(mod.run)\n",
        ),
        (
            MonkeyPatchMoved(old="up.mod.C.run", new="up.mod.C.execute"),
            "from up.mod import C as D\nD.run = mine\nsetattr( D, \"run\", mine)\n",
            "from up.mod import C as D\nD.execute = mine\nsetattr( D, \"execute\", mine)\n",
        ),
    ],
)  # fmt: skip
def test_only_that_place_is_another(rule: Rule, before: str, after: str) -> None:
    both_ways(rule, before, after)


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        (BASE, "from up.mod import Old\nOld()\nx: Old\n"),
        (BASE, "from down.mod import Old, New\nclass Mine(Old, New): ...\n"),
        (DECORATOR, "from up.mod import old\nold(f)\n\n@mine.old\ndef g(): ...\n"),
        (MEMBER, "from up.mod import Old\nOld.other, Old().LIMIT, x.LIMIT\n"),
        (PATCH, "import up.mod\nx = up.mod.run\nup.mod.runs = 1\nsetattr(up.mod, 'runs', 1)\n"),
    ],
)
def test_other_uses_stay(rule: Rule, code: str) -> None:
    never(rule, code)


def test_a_name_that_means_something_else_is_not_taken() -> None:
    with pytest.raises(CannotRewrite, match="New already means something else"):
        BASE.forward(Source("from up.mod import Old\nNew = Old\nclass Mine(Old): ...\n"))


def test_members_have_names() -> None:
    with pytest.raises(ValueError, match="at least 1 item"):
        MemberMoved(old="a.B", new="a.C", members=())
