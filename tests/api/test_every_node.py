"""The walk that leaves out what nothing stands in, held against that of Python."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import syncbot
from syncbot.api.every_node import children, every_node

EMPTY = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
EVERYTHING = """
@d(1)
async def f(a, /, b: int = 1, *c, d=2, **e) -> str:
    global g
    async with x as (y, z), w: pass
    async for i, *j in k: await i
    return {**a, 'b': -1}, {1, 2}, [n for n in o if n not in p and not q], f"{r!r:>{s}}"
class C(B, metaclass=M):
    x: int = 1
    try: x += (y := 2) if z else lambda u: u ** 2
    except (A, B) as error: raise error from None
    finally: del x[1:2], x.y
match x:
    case {"a": [1, *_], **rest} | C(b=None) if rest: assert x is not y, "z"
"""


def shown(tree: ast.AST) -> list[ast.AST]:
    """Return the nodes of Python's own walk, without contexts and operators."""
    return [node for node in ast.walk(tree) if not isinstance(node, EMPTY)]


def test_a_text_with_everything() -> None:
    tree = ast.parse(EVERYTHING)
    assert list(every_node(tree)) == shown(tree)


@pytest.mark.parametrize("folder", ["api", "contracts/kinds", "planning"])
def test_real_sources(folder: str) -> None:
    for file in sorted((Path(syncbot.__file__).parent / folder).glob("*.py")):
        tree = ast.parse(file.read_bytes())
        assert list(every_node(tree)) == shown(tree)
        for node in every_node(tree):
            direct = [n for n in ast.iter_child_nodes(node) if not isinstance(n, EMPTY)]
            assert children(node) == direct


def test_what_is_put_in_while_walking_is_left_out() -> None:
    tree = ast.parse("x = [1]")
    walked = []
    for node in every_node(tree):
        walked.append(node)
        if isinstance(node, ast.List):
            node.elts.append(ast.Name("late", ast.Load()))
    assert [node.id for node in walked if isinstance(node, ast.Name)] == ["x"]
