"""The fast walk sees what libcst's own visitors see, in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import libcst as cst
import pytest

from syncbot.patching import tree_walk
from syncbot.patching.source import Source
from tests.budget import some

SAMPLE = '''
"""Every kind of statement and expression."""
from __future__ import annotations
from .a import (b as c, d)
import e.f as g, h

@deco(1)
@other
class C[T](Base, *bases, metaclass=Meta, **rest):
    x: int = 1
    y = z = (2, [3, *more])

    @property
    async def f[*Ts, **P](self, p, /, q: int = 3, *args: str, k, kk=4, **kw) -> dict[str, int]:
        async with a as b, c:
            await d
        async for i, (j, k) in it:
            yield i
        else:
            pass
        return {**m, "k": v for_ if cond else other[1:2:3, ...]}


def g(*, only=lambda u, *v, w=1: u):
    try:
        raise E(f"{x!r:>{width}} text" "more") from None
    except (A, B) as error:
        del error, x.y
    finally:
        assert x, "m"
    try:
        global t
    except* D:
        pass
    while (n := f(1, *a, key=2, **kw)) and not -n ** 2:
        x += 1; continue
    if a < b <= c is not d: x = 1
    elif e: pass
    else: break
    with (open(1) as f, g()):
        [a for b in c if d if e for f in g]
        {k: v async for k, v in w}
    match command, 3:
        case Point(x=0, y=[1, *rest], z={"k": v, **others}) | None if guard:
            nonlocal q
        case str() as s:
            yield from s
    type Alias[K] = list[K]
'''.replace("v for_ if", "v if")


class Seen(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[cst.CSTNode] = []
        self.around: list[tuple[cst.CSTNode, ...]] = []
        self._stack: tuple[cst.CSTNode, ...] = ()

    def on_visit(self, node: cst.CSTNode) -> bool:
        self.nodes.append(node)
        self.around.append(self._stack)
        if isinstance(node, (cst.ClassDef, cst.FunctionDef)):
            self._stack = (*self._stack, node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if self._stack and self._stack[-1] is original_node:
            self._stack = self._stack[:-1]


def punctuation(node: cst.CSTNode) -> bool:
    return _punctuation(type(node))


@cache
def _punctuation(kind: type[cst.CSTNode]) -> bool:
    """Return whether the walk leaves out a kind of node: white space, marks, operators, unnamed keywords."""
    words = (cst.Asynchronous, cst.From, cst.BaseUnaryOp, cst.BaseBinaryOp, cst.BaseBooleanOp, cst.BaseCompOp)
    marks = (cst.LeftParen, cst.RightParen, cst.LeftSquareBracket, cst.RightSquareBracket, cst.LeftCurlyBrace)
    more = (cst.RightCurlyBrace, cst.Comma, cst.Semicolon, cst.AssignEqual, cst.Dot, cst.Colon, cst.BitOr)
    space = (
        cst.BaseParenthesizableWhitespace,
        cst.EmptyLine,
        cst.TrailingWhitespace,
        cst.Newline,
        cst.Comment,
    )
    rest = (cst.BaseAugOp, cst.NotEqual, cst.ParamSlash)
    return issubclass(kind, (*words, *marks, *more, *space, *rest))


def texts() -> Iterator[tuple[str, str]]:
    yield "sample", SAMPLE
    for file in sorted(Path(tree_walk.__file__).parent.parent.rglob("*.py")):
        yield file.as_posix(), file.read_text(encoding="utf-8")


@pytest.mark.long
def test_all_nodes_in_the_order_of_the_text_with_the_definitions_around() -> None:
    for path, text in some(list(texts()), one_of=8):
        module = Source(text, path).module
        seen = Seen()
        module.visit(seen)
        expected = [
            (node, around)
            for node, around in zip(seen.nodes, seen.around, strict=True)
            if not punctuation(node)
        ]
        found = [(node, around) for node, around in tree_walk.nodes(module) if not punctuation(node)]
        assert [type(node).__name__ for node, _ in found] == [type(node).__name__ for node, _ in expected]
        assert all(
            mine is theirs and list(map(id, here)) == list(map(id, there))
            for (mine, here), (theirs, there) in zip(found, expected, strict=True)
        ), path


@pytest.mark.parametrize("name", ["kk", "s", "width", "Alias", "deco"])
def test_above_are_the_nodes_on_the_way_to_the_wanted_and_no_others(name: str) -> None:
    module = Source(SAMPLE).module
    wanted = {
        node for node, _ in tree_walk.nodes(module) if isinstance(node, cst.Name) and node.value == name
    }
    assert wanted
    expected = {
        node
        for node, _ in tree_walk.nodes(module)
        if node not in wanted and wanted & {inner for inner, _ in tree_walk.nodes(node)}
    }
    assert tree_walk.above(module, wanted) == expected


def test_white_space_is_not_looked_for() -> None:
    module = Source("x = 1  # one\n").module
    line = module.body[0]
    assert isinstance(line, cst.SimpleStatementLine)
    assert tree_walk.above(module, [line.trailing_whitespace]) is None
    assert tree_walk.above(module, []) == set()
    assert tree_walk.above(module, [module]) == set()
