"""Defaults, order of parameters, results and stubs of overridden methods."""

from __future__ import annotations

import pytest

from syncbot.patching.errors import CannotRewrite
from syncbot.patching.rewrites.abstract_method_added import AbstractMethodAdded
from syncbot.patching.rewrites.override_default_changed import OverrideDefaultChanged
from syncbot.patching.rewrites.override_parameters_reordered import OverrideParametersReordered
from syncbot.patching.rewrites.override_result_reshaped import OverrideResultReshaped
from syncbot.patching.source import Source

from .cases import both_ways, never

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    AbstractMethodAdded(base="up.mod.Thing", method="absent", message="up #1: absent is abstract"),
    AbstractMethodAdded(base="up.m.Thing", method="late", message="abstract now"),
    OverrideDefaultChanged(base="up.mod.Thing", method="run", parameter="flag", old="None", new="(1, 2)"),
    OverrideDefaultChanged(base="up.m.Thing", method="run", parameter="flag", old="None", new="0"),
    OverrideParametersReordered(
        base="up.mod.Thing", method="run", old=("size", "flag"), new=("flag", "size")
    ),
    OverrideParametersReordered(
        base="up.m.Thing", method="run", old=("n", "k", "flag"), new=("k", "n", "flag")
    ),
    OverrideResultReshaped(base="up.mod.Thing", method="run", old=("a", "b"), new=("a", "b", "c")),
    OverrideResultReshaped(
        base="up.m.Thing", method="run", old=("a", "b"), new=("a", "b", "c"), value="None"
    ),
]

HEAD = "from up.mod import Base\n\n\nclass Mine(Base):\n"
OTHER = "from up.mod import Base\n\n\nclass Mine:\n"
ORDER = OverrideParametersReordered(
    base="up.mod.Base", method="run", old=("a", "b", "c"), new=("c", "a", "b")
)
RESULT = OverrideResultReshaped(base="up.mod.Base", method="run", old=("q", "k"), new=("q", "scale", "k"))
STUB = AbstractMethodAdded(
    base="up.mod.Base", method="shape", parameters="self, x, *, y=None", message='up #7: "shape" is abstract'
)
STUBBED = """\
    def shape(self, x, *, y=None):
        raise NotImplementedError("up #7: \\"shape\\" is abstract")
"""


def test_parameters_are_taken_in_the_new_order() -> None:
    both_ways(
        ORDER,
        f"{HEAD}    def run(self, x, a: int, # one\n            b, c ): ...\n",
        f"{HEAD}    def run(self, x, c, # one\n            a: int, b ): ...\n",
    )
    never(ORDER, f"{OTHER}    def run(self, a, b, c): ...\n    def walk(self, c, a, b): ...\n")
    with pytest.raises(CannotRewrite, match="a required parameter behind an optional one"):
        ORDER.forward(Source(f"{HEAD}    def run(self, a, b, c=1): ...\n"))
    with pytest.raises(ValueError, match="the same parameters"):
        OverrideParametersReordered(base="a.B", method="c", old=("a",), new=("b",))


def test_overrides_return_the_new_shape() -> None:
    both_ways(
        RESULT,
        f"{HEAD}    def run(self):\n        def inner(): return 1, 2, 3, 4\n        if x: return 1,2\n"
        "        return (\n            a,  # first\n            b,\n        )\n",
        f"{HEAD}    def run(self):\n        def inner(): return 1, 2, 3, 4\n        if x: return 1,None,2\n"
        "        return (\n            a,  # first\n            None,\n            b,\n        )\n",
    )
    never(RESULT, f"{OTHER}    def run(self):\n        return 1, 2\n    def go(self): return 1, 2, 3\n")
    with pytest.raises(CannotRewrite, match="returns something else than 2 elements"):
        RESULT.forward(Source(f"{HEAD}    def run(self):\n        return x\n"))
    with pytest.raises(CannotRewrite, match="returns scale, which upstream no longer takes"):
        RESULT.backward(Source(f"{HEAD}    def run(self):\n        return 1, x, 2\n"))
    with pytest.raises(ValueError, match="differ in length"):
        OverrideResultReshaped(base="a.B", method="c", old=("a", "b"), new=("b", "c"))


def test_a_method_that_does_something_stays() -> None:
    never(STUB, f"{HEAD}    def shape(self, x, *, y=None):\n        return x\n")
    never(STUB, f"{OTHER}{STUBBED}")
    with pytest.raises(CannotRewrite, match="its body on its first line"):
        STUB.forward(Source("from up.mod import Base\nclass Mine(Base): ...\n"))
    with pytest.raises(ValueError, match="no method can be made"):
        AbstractMethodAdded(base="a.B", method="c", parameters="self, (", message="")


def test_the_stub_raises_what_it_says() -> None:
    space: dict[str, type] = {"Base": type("Base", (), {})}
    text = STUB.forward(Source(f"{HEAD}    a = 1\n")).replace("from up.mod import Base", "")
    exec(text, space)
    with pytest.raises(NotImplementedError, match='up #7: "shape" is abstract'):
        space["Mine"]().shape(1)
