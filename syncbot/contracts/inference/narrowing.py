"""What conditions say of the class of a name or of an attribute: a class as written, or the call of a
function that may tell one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from syncbot.api.expressions import FunctionNode, dotted, expression
from syncbot.api.statement_parts import branches
from syncbot.contracts.inference.type_guards import may_tell


def narrowed(guards: Sequence[str]) -> dict[str, str]:
    """The classes, as written, that the conditions around a piece of code leave to dotted names."""
    found: dict[str, str] = {}
    for guard in guards:
        kind, _, test = guard.partition(" ")
        if kind in ("if", "else") and ("(" in test or " is " in test):
            for name, told in _told(test, kind == "if"):
                if not told.endswith(")") or name not in found:
                    found[name] = told
    return found


@dataclass(frozen=True, slots=True)
class Asserted:
    """The class, as written, of something between two lines."""

    line: int
    end: int
    class_: str


def asserted(test: ast.expr) -> Iterator[tuple[str, str]]:
    """The same for a condition that holds: dotted names, each with its class as written."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            for value in values:
                yield from asserted(value)
        case ast.Call(func=ast.Name(id="isinstance"), args=[tested, kind]):
            yield from _pair(tested, kind)
        case ast.Call(func=function, args=[tested], keywords=[]) if may_tell(dotted(function) or ""):
            yield from _pair(tested, function, f"{dotted(function)}({dotted(tested)})")
        # A case of a match statement: nobody asks whether something is what he makes.
        case ast.Compare(left=tested, ops=[ast.Is()], comparators=[ast.Call(func=kind)]):
            yield from _pair(tested, kind)


def asserted_differently(function: FunctionNode) -> Mapping[str, Sequence[Asserted]]:
    """The names of which a function asserts several classes, with each of them: most often in the branches
    for the one and for the other."""
    found: dict[str, list[Asserted]] = {}
    for block in _blocks(function.body):
        for statement in block:
            if isinstance(statement, ast.Assert):
                end = block[-1].end_lineno or block[-1].lineno
                for name, class_ in asserted(statement.test):
                    found.setdefault(name, []).append(Asserted(statement.lineno, end, class_))
    return {name: told for name, told in found.items() if len({one.class_ for one in told}) > 1}


def asserted_at(line: int, told: Sequence[Asserted]) -> str | None:
    """The class of which something is at a line: the last one that was asserted before."""
    return next((one.class_ for one in reversed(told) if one.line < line <= one.end), None)


def _blocks(body: Sequence[ast.stmt]) -> Iterator[Sequence[ast.stmt]]:
    """The blocks of statements in a body, without those of definitions in it."""
    yield body
    for statement in body:
        if not isinstance(statement, FunctionNode | ast.ClassDef):
            for inner, _ in branches(statement):
                yield from _blocks(inner)


@lru_cache(maxsize=4096)
def _told(test: str, holds: bool) -> tuple[tuple[str, str], ...]:
    node = expression(test)
    if not holds:
        node = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else None
    return tuple(asserted(node)) if node is not None else ()


def _pair(tested: ast.expr, kind: ast.expr, told: str = "") -> Iterator[tuple[str, str]]:
    name, class_ = dotted(tested), dotted(kind)
    if name is not None and class_ is not None:
        yield name, told or class_
