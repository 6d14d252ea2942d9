"""Arguments by keyword, results of another shape, statements under a condition."""

from __future__ import annotations

import pytest

from syncbot.patching.errors import CannotRewrite
from syncbot.patching.rewrites.call_arguments_by_keyword import CallArgumentsByKeyword
from syncbot.patching.rewrites.result_reshaped import ResultReshaped
from syncbot.patching.rewrites.statement_guarded import StatementGuarded
from syncbot.patching.source import Source

from .cases import both_ways, never

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    CallArgumentsByKeyword(callee="up.mod.Thing", position=0, arguments=("count",)),
    CallArgumentsByKeyword(callee="up.m.make", position=0, arguments=("first",)),
    ResultReshaped(callee="up.mod.Thing", old=("a", "b"), new=("a", "b", "c")),
    ResultReshaped(callee="up.m.make", old=("a", "b"), new=("a", "b", "c")),
    StatementGuarded(file="a.py", within="g", code="return t.uva", condition="t.spec"),
    StatementGuarded(file="a.py", within="g", code="x = 1", condition="t.spec"),
]

NAMED = CallArgumentsByKeyword(callee="up.mod.build", position=1, arguments=("size", "flag"))
SHAPE = ResultReshaped(callee="up.mod.Thing.split", old=("q", "k"), new=("q", "k", "v", "scale"))
GUARD = StatementGuarded(
    file="<source>", within="Mine.run", code="self.a()\nself.b()", condition="self.spec is not None"
)


def test_arguments_are_named() -> None:
    both_ways(
        NAMED,
        "from up.mod import build\nbuild(1)\nbuild(1, 2 , # two\n    True)\nbuild(1, 2, other=3)\n",
        "from up.mod import build\nbuild(1)\nbuild(1, size=2 , # two\n    flag=True)\nbuild(1, size=2, other=3)\n",
    )
    never(NAMED, "from up.mod import other as build\nbuild(1, 2, 3)\nbuild(1, size=2)\n")
    for code, why in (("build(1, *x)", r"passes \*"), ("build(1, 2, 3, 4)", "passes 4 arguments by place")):
        with pytest.raises(CannotRewrite, match=why):
            NAMED.forward(Source(f"from up.mod import build\n{code}\n"))
    with pytest.raises(ValueError, match="at least one, each once"):
        CallArgumentsByKeyword(callee="a.b", position=0, arguments=("x", "x"))


def test_the_new_shape_is_unpacked() -> None:
    both_ways(
        SHAPE,
        "from up.mod import Thing\ndef f(t: Thing):\n    a,  b = t.split( 1 )  # kept\n    (c, d) = x = t.split()\n",
        "from up.mod import Thing\ndef f(t: Thing):\n    a,  b,  _,  _ = t.split( 1 )  # kept\n"
        "    (c, d, _, _) = x = t.split()\n",
    )
    never(SHAPE, "from up.mod import Thing\ndef f(t):\n    a, b = t.split()\n    a, b, c, d = t.split()\n")
    with pytest.raises(CannotRewrite, match="a name is given to scale"):
        SHAPE.backward(Source("from up.mod import Thing\ndef f(t: Thing):\n    a, b, _, d = t.split()\n"))


def test_statements_are_put_under_a_condition() -> None:
    both_ways(
        GUARD,
        """
        class Mine:
            def run(self):
                # why
                self.a()
                self.b()
                self.c()
        """,
        """
        class Mine:
            def run(self):
                # why
                if self.spec is not None:
                    self.a()
                    self.b()
                self.c()
        """,
    )
    never(GUARD, "class Mine:\n    def run(self):\n        self.a()\n        self.c()\n        self.b()\n")
    with pytest.raises(ValueError, match="is not one Python expression"):
        StatementGuarded(file="a.py", code="x = 1", condition="if x")
