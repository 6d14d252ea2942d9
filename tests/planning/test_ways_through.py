"""How often something runs on one way through a function."""

from __future__ import annotations

import ast

import pytest

from syncbot.planning.ways_through import most_on_one_way


@pytest.mark.parametrize(
    ("body", "most"),
    [
        ("x = f()", 1),
        ("if f():\n    return 1\nreturn 2", 1),
        ("if a:\n    return f()\nreturn f()", 1),
        ("if a:\n    x = f()\nelse:\n    x = f()", 1),
        ("with c:\n    if a:\n        return f()\n    x = f()\nreturn x", 1),
        ("if a:\n    raise f()\nelif b:\n    return f()\nf()", 1),
        ("return\nf()\nf()", 0),
        ("if a:\n    f()\nf()", 2),
        ("f()\nif a:\n    return f()", 2),
        ("with f():\n    f()", 2),
        ("for x in y:\n    f()", 2),
        ("while f(): pass", 2),
        ("try:\n    f()\nexcept E:\n    f()", 2),
    ],
)
def test_branches_that_exclude_each_other_are_two_ways(body: str, most: int) -> None:
    tree = ast.parse(body)
    calls = {n for n in ast.walk(tree) if isinstance(n, ast.Call)}
    assert most_on_one_way(tree.body, calls) == most
