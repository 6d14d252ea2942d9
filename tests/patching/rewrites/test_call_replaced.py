from __future__ import annotations

import pytest

from syncbot.patching.errors import CannotRewrite
from syncbot.patching.rewrites.call_replaced import CallReplaced
from syncbot.patching.source import Source

from .cases import both_ways

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    CallReplaced(
        old="up.mod.Thing", new="up.elsewhere.make", renamed=(("size", "length"),), added=(("extra", "0"),)
    ),
    CallReplaced(old="up.m.make", new="up.n.build", renamed=(("a", "b"),), added=(("c", "0"),)),
]

RULE = CallReplaced(
    old="up.mod.build", new="up.other.make", renamed=(("size", "length"),),
    added=(("spec", "None"),), removed=(("flag", "True"),),
)  # fmt: skip


BRANCHES = """\
def go(x):
    if x:
        from up.mod import build

        return build(1, flag=True)
    elif not x:
        from up.mod import build

        return build(2, flag=True)
    {rest}
"""


def test_each_branch_keeps_its_import_where_something_else_uses_it() -> None:
    before = BRANCHES.format(rest="return build")
    after = RULE.forward(Source(before))
    assert after.count("from up.mod import build\n        from up.other import make\n") == 2
    assert after.count("return make(") == 2
    assert "return build\n" in after
    both_ways(RULE, before, after)


def test_a_module_that_each_branch_imports_needs_an_author() -> None:
    before = BRANCHES.format(rest="return None").replace("up.mod import build", "up import mod")
    with pytest.raises(CannotRewrite, match=r"2 imports of up\.mod reach one use of it"):
        RULE.forward(Source(before.replace("return build(", "return mod.build(")))


def test_a_module_that_is_the_symbol_and_that_each_branch_imports_needs_an_author() -> None:
    before = BRANCHES.format(rest="return None").replace(
        "from up.mod import build", "import up.mod.build as build"
    )
    with pytest.raises(CannotRewrite, match=r"2 imports of up\.mod\.build reach one use of it"):
        RULE.forward(Source(before))


def test_another_value_for_what_is_gone_needs_an_author() -> None:
    with pytest.raises(CannotRewrite, match="takes no flag, and here it is not True"):
        RULE.forward(Source("from up.mod import build\nbuild(flag=False)\n"))
    with pytest.raises(CannotRewrite, match=r"passes \*\*"):
        RULE.forward(Source("from up.mod import build\nbuild(**x)\n"))
