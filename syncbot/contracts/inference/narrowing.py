"""Conditions that tell the class of a name or of an attribute: a class as written, or the call of a function
that may tell one."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from syncbot.api.every_node import every_node
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


def stays_in_branch(name: str, parents: Sequence[ast.AST]) -> bool:
    """Whether a name of which a condition tells the class is bound nowhere in the branch of that condition
    around a place, of which ``parents`` has the nodes around it, the outermost first."""
    for at in range(len(parents) - 2, -1, -1):
        statement, inner = parents[at], parents[at + 1]
        if isinstance(statement, FunctionNode | ast.Lambda | ast.ClassDef):
            return False
        if isinstance(statement, ast.If) and any(told == name for told, _ in asserted(statement.test)):
            return inner in statement.body and not _is_bound_in(statement, name)
    return False


def is_told_outside(name: str, parents: Sequence[ast.AST]) -> bool:
    """Whether no condition in the innermost function around a place speaks of a name."""
    for parent in reversed(parents):
        match parent:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                return True
            case ast.If(test=asked) | ast.While(test=asked) | ast.Match(subject=asked):
                if any(isinstance(node, ast.Name) and node.id == name for node in every_node(asked)):
                    return False
    return False


@lru_cache(maxsize=256)
def _is_bound_in(statement: ast.If, name: str) -> bool:
    """Whether a name is bound in the branch for which the condition holds."""
    return any(
        isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
        for inner in statement.body
        for node in every_node(inner)
    )


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
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="type"), args=[tested]),
            ops=[ast.Is() | ast.Eq()],
            comparators=[kind],
        ):
            yield from _pair(tested, kind)
        # A case of a match statement: nobody asks whether something is what he makes.
        case ast.Compare(left=tested, ops=[ast.Is()], comparators=[ast.Call(func=kind)]):
            yield from _pair(tested, kind)


def asserted_in_places(function: FunctionNode) -> Mapping[str, Sequence[Asserted]]:
    """The names of which a function asserts several classes, with each of them: most often in the branches
    for the one and for the other; and those that are of a class since it left where they were not."""
    found: dict[str, list[Asserted]] = {}
    left: set[str] = set()
    for block in _blocks(function.body):
        told = [(at, *one) for at, statement in enumerate(block) for one in _told_by(statement)]
        ends = _Ends(block) if told else None
        for at, name, class_, leaves in told:
            end = ends.of(name, at) if ends is not None else 0
            found.setdefault(name, []).append(Asserted(block[at].end_lineno or 0, end, class_))
            left.update((name,) if leaves else ())
    several = (name for name, told in found.items() if len({one.class_ for one in told}) > 1)
    return {name: found[name] for name in {*several, *left}}


def _told_by(statement: ast.stmt) -> Iterator[tuple[str, str, bool]]:
    """The names of which a statement tells a class to what follows, with that, and whether by leaving."""
    match statement:
        case ast.Assert(test=test):
            yield from ((name, class_, False) for name, class_ in asserted(test))
        case ast.If(test=test, body=[*_, ast.Return() | ast.Raise() | ast.Continue() | ast.Break()]):
            yield from ((name, class_, True) for name, class_ in _left_to(test))


def _left_to(test: ast.expr) -> Iterator[tuple[str, str]]:
    """Yield what is told where a condition does not hold."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from asserted(operand)
        case ast.BoolOp(op=ast.Or(), values=values):
            for value in values:
                yield from _left_to(value)


class _Ends:
    """Up to which line of a block a name stays what it was after a statement of it."""

    def __init__(self, block: Sequence[ast.stmt]) -> None:
        self._block = block
        self._bound: dict[str, list[int]] = {}
        for at, statement in enumerate(block):
            for node in every_node(statement):
                if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                    self._bound.setdefault(dotted(node) or "", []).append(at)

    def of(self, name: str, after: int) -> int:
        """The last line before the name is bound anew."""
        bound = self._bound.get(name, [])
        at = bisect_right(bound, after)
        statement = self._block[bound[at]] if at < len(bound) else self._block[-1]
        # Where it is bound on some path through a statement, nothing is told of the others either.
        inside = at < len(bound) and hasattr(statement, "body")
        return statement.lineno if inside else statement.end_lineno or statement.lineno


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
    """The name that is tested with its class, or the tuple of those that it may be of."""
    several = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    name, one = dotted(tested), several[0] if len(several) == 1 else kind
    if name is not None and several and all(dotted(class_) is not None for class_ in several):
        yield name, told or ast.unparse(one)
