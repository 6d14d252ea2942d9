from __future__ import annotations

import pytest
from pydantic import ValidationError

from syncbot.patching.errors import CannotRewrite
from syncbot.patching.rewrites.add_method import AddMethod
from syncbot.patching.rewrites.add_statement import AddStatement
from syncbot.patching.rewrites.replace_statement import ReplaceStatement
from syncbot.patching.source import Source

from .cases import both_ways, forward_only, never

#: Tried on generated programs, and with bad texts as arguments.
EXAMPLES = [
    AddMethod(file="a.py", within="Mine", code="def late(self):\n    return 1", after="run"),
    AddMethod(file="a.py", code="def late():\n    return 1", after="g"),
    AddMethod(file="a.py", within="Mine", code="def new(self):\n    return 1", after="run"),
    AddStatement(file="a.py", within="g", code="y = 2\nz = 3", position="before", anchor="return t.uva"),
    AddStatement(file="a.py", within="g", code="y = 2", position="start"),
    AddStatement(file="a.py", within="g", code="y = 1", position="after", anchor="x = 1"),
    ReplaceStatement(file="a.py", within="g", before="x = 1", after="x = 2\ny = 3"),
    ReplaceStatement(file="a.py", within="g", before="x = 1", after="x = 2"),
]

REPLACE = ReplaceStatement(
    file="src/a.py", within="Mine.run", before="x = old(1)\nif x:\n    go(x)", after="go(new(1))"
)


def test_statements_are_replaced_within_their_function() -> None:
    both_ways(
        REPLACE,
        """
        class Mine:
            def run(self):
                with lock:
                    x = old(1)
                    if x:
                        go(x)
                # done

            def other(self):
                x = old(1)
        """,
        """
        class Mine:
            def run(self):
                with lock:
                    go(new(1))
                # done

            def other(self):
                x = old(1)
        """,
    )


def test_line_ends_stay() -> None:
    rule = ReplaceStatement(file="a.py", before="x = 1\ny = 2", after="x = 3")
    assert rule.forward(Source("a\r\nx = 1\r\ny = 2\r\n")) == "a\r\nx = 3\r\n"
    assert rule.backward(Source("a\r\nx = 3\r\n")) == "a\r\nx = 1\r\ny = 2\r\n"


@pytest.mark.parametrize(
    "code",
    [
        "class Mine:\n    def other(self):\n        x = old(1)\n        if x:\n            go(x)\n",
        "class Mine:\n    def run(self):\n        x = old(1)\n        if x:\n            go(y)\n",
        "def run():\n    x = old(1)\n    if x:\n        go(x)\n",
    ],
)
def test_other_places_stay(code: str) -> None:
    never(REPLACE, code)


def test_two_places_are_refused() -> None:
    with pytest.raises(CannotRewrite, match="2 times"):
        ReplaceStatement(file="a.py", before="x = 1", after="x = 2").forward(Source("x = 1\nx = 1\n"))


def test_only_its_own_file_concerns_it() -> None:
    assert REPLACE.concerns("src/a.py")
    assert not REPLACE.concerns("src/b.py")


def test_half_statements_are_refused() -> None:
    with pytest.raises(ValidationError, match="whole Python statements"):
        ReplaceStatement(file="a.py", before="if x:", after="y")


@pytest.mark.parametrize(
    ("position", "anchor", "after"),
    [
        ("start", None, 'def f():\n    """Doc."""\n    new()\n    a()\n    b()\n\n\nx = 1\n'),
        ("end", None, 'def f():\n    """Doc."""\n    a()\n    b()\n    new()\n\n\nx = 1\n'),
        ("before", "b()", 'def f():\n    """Doc."""\n    a()\n    new()\n    b()\n\n\nx = 1\n'),
        ("after", "a()", 'def f():\n    """Doc."""\n    a()\n    new()\n    b()\n\n\nx = 1\n'),
    ],
)
def test_a_statement_is_added(position: str, anchor: str | None, after: str) -> None:
    rule = AddStatement.model_validate(
        {"file": "a.py", "within": "f", "code": "new()", "position": position, "anchor": anchor}
    )
    before = 'def f():\n    """Doc."""\n    a()\n    b()\n\n\nx = 1\n'
    forward_only(rule, before, after)
    assert rule.backward(Source(after)) == before
    assert rule.mirror().forward(Source(after)) == before
    never(rule, "def g():\n    new()\n")


def test_an_import_is_added_to_a_module() -> None:
    rule = AddStatement(file="a.py", code="import new", position="start")
    forward_only(
        rule,
        '"""Doc."""\nfrom __future__ import annotations\nimport os\n',
        '"""Doc."""\nfrom __future__ import annotations\nimport new\nimport os\n',
    )


def test_a_method_is_added_behind_another() -> None:
    rule = AddMethod(
        file="a.py",
        within="Mine",
        after="first",
        code="@staticmethod\ndef shape(blocks):\n    return (blocks,)",
    )
    both_ways(
        rule,
        """
        class Mine:
            def first(self):
                return 1

            def last(self):
                return 2


        x = 1
        """,
        """
        class Mine:
            def first(self):
                return 1

            @staticmethod
            def shape(blocks):
                return (blocks,)

            def last(self):
                return 2


        x = 1
        """,
    )


def test_a_function_is_added_at_the_end() -> None:
    rule = AddMethod(file="a.py", code="def g():\n    pass")
    both_ways(rule, "x = 1\n", "x = 1\n\n\ndef g():\n    pass\n")


def test_what_is_there_already_is_not_put_there_again() -> None:
    head = "class A:\n    def f(self):\n"
    for position in ("start", "end"):
        rule = AddStatement(file="<source>", within="A.f", code="y = 2", position=position)
        both_ways(rule, f"{head}        x = 1\n", f"{head}        {'y = 2' if position == 'start' else 'x = 1'}\n"
                                                  f"        {'x = 1' if position == 'start' else 'y = 2'}\n")  # fmt: skip
    behind = AddStatement(file="<source>", within="A.f", code="y = 2", position="after", anchor="x = 1")
    both_ways(
        behind,
        f"{head}        x = 1\n        z = 3\n",
        f"{head}        x = 1\n        y = 2\n        z = 3\n",
    )
    longer = ReplaceStatement(file="<source>", within="A.f", before="x = 1", after="y = 2\nx = 1")
    both_ways(longer, f"{head}        x = 1\n", f"{head}        y = 2\n        x = 1\n")
