"""Sources that have ``async`` as a name, as they could until Python 3.7."""

from __future__ import annotations

import ast

import pytest

from syncbot.api.extract import extract
from syncbot.api.syntax import syntax_tree

SOURCE = b"""
from core.async import result
import core.async as a
def async(f, async=None, *, x="async\xc3\xa9", y=b"async"):
    global async
    return f.async(async=1) + async
async def g():
    async with lock:
        async for x in y: pass
"""


def test_async_as_a_name() -> None:
    table = extract(SOURCE)
    assert table.problem is None
    assert [(i.module, i.name) for i in table.imports] == [("core.async", "result"), ("core.async", None)]
    (first, second) = table.functions
    assert [(p.name, p.default) for p in first.parameters] == [
        *[("f", None), ("async", "None"), ("x", "'async\xe9'"), ("y", "b'async'")]
    ]
    assert (first.name, first.line, second.is_async) == ("async", 4, True)
    words = {
        value
        for node in ast.walk(syntax_tree(SOURCE))
        for _, value in ast.iter_fields(node)
        if isinstance(value, str)
    }
    assert not {word for word in words if word.lower() == "async" != word}


@pytest.mark.parametrize(
    "text", ["async = = 1", "def f(:", "aSync asYnc asyNc asynC; async = 1", "async def f(:"]
)
def test_what_no_python_reads(text: str) -> None:
    with pytest.raises(SyntaxError):
        syntax_tree(text.encode())
    assert extract(text.encode()).problem is not None
