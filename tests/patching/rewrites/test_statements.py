from __future__ import annotations

import pytest
from pydantic import ValidationError

from syncbot.patching.errors import CannotRewrite
from syncbot.patching.rewrites.add_method import AddMethod
from syncbot.patching.rewrites.add_statement import AddStatement
from syncbot.patching.rewrites.replace_statement import ReplaceStatement
from syncbot.patching.source import Source

from .cases import forward_only, never

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


def test_line_ends_stay() -> None:
    rule = ReplaceStatement(file="a.py", before="x = 1\ny = 2", after="x = 3")
    assert rule.forward(Source("a\r\nx = 1\r\ny = 2\r\n")) == "a\r\nx = 3\r\n"
    assert rule.backward(Source("a\r\nx = 3\r\n")) == "a\r\nx = 1\r\ny = 2\r\n"


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
