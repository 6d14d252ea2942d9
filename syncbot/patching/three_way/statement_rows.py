"""A function as rows, one a logical line of Python, so that texts that are laid out differently compare."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from syncbot.api.every_node import every_node
from syncbot.patching.errors import CannotRewrite

_LAYOUT = {tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
#: What makes a line of a compound statement parse by itself: before it, and behind it.
_FRAMES = (
    ("", ""),
    ("", "\n pass"),
    ("if 0: pass\n", "\n pass"),
    ("try: pass\n", "\n pass"),
    ("try: pass\nexcept: pass\n", "\n pass"),
    ("", "\ndef f(): pass"),
    ("match 0:\n ", "\n  pass"),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One logical line: the comments and empty lines ``above`` it, and its own lines, all as they stand
    behind the indentation of the function. Rows of the same ``key`` say the same on the same depth. ``still``
    are the lines of ``code`` that do not move with the indentation, since they are in a string. ``reads`` are
    names, ``sets`` names and what sets them. A ``docstring`` is no statement."""

    key: tuple[int, str]
    above: tuple[str, ...]
    code: tuple[str, ...]
    still: frozenset[int] = frozenset()
    reads: frozenset[str] = frozenset()
    sets: frozenset[tuple[str, str]] = frozenset()
    docstring: bool = False

    def lines(self, indent: str) -> Iterator[str]:
        """The lines at an indentation."""
        yield from (indent + line if line else "" for line in self.above)
        for at, line in enumerate(self.code):
            yield line if at in self.still or not line else indent + line


def rows_of(text: str, what: str) -> list[Row]:
    """Return the rows of a function's text, which may be indented. The last row has no code: above it stands
    what follows the last statement. Raises CannotRewrite that says that ``what`` cannot be read."""
    indent = indentation(text)
    lines = text.split("\n")
    found: list[Row] = []
    tokens: list[tokenize.TokenInfo] = []
    depth, done = 0, 0
    readable = "\n".join(line.removeprefix(indent) for line in lines)
    try:
        for token in tokenize.generate_tokens(io.StringIO(readable).readline):
            depth += (token.type == tokenize.INDENT) - (token.type == tokenize.DEDENT)
            if token.type == tokenize.NEWLINE:
                row = _row(lines, done, tokens, depth, indent)
                begins = bool(found) and "definition" in {how for _, how in found[-1].sets}
                found.append(replace(row, docstring=begins and {t.type for t in tokens} == {tokenize.STRING}))
                tokens, done = [], token.start[0]
            elif token.type not in _LAYOUT:
                tokens.append(token)
    except (tokenize.TokenError, SyntaxError) as error:
        raise CannotRewrite(f"{what} cannot be read: {error.args[0]}") from error
    rest = tuple(line.removeprefix(indent) for line in lines[done:])
    return [*found, Row((-1, ""), rest, ())]


def indentation(text: str) -> str:
    """Return the white space before the first line that is no comment."""
    for line in text.split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            return line[: len(line) - len(line.lstrip())]
    return ""


def _row(lines: list[str], above: int, tokens: list[tokenize.TokenInfo], depth: int, indent: str) -> Row:
    start, end = tokens[0].start[0] - 1, tokens[-1].end[0]
    inside: set[int] = set()
    for token in tokens:
        # The lines of a string are its value; those of a docstring are only read.
        if token.type == tokenize.STRING and len(tokens) > 1:
            inside |= set(range(token.start[0] - start, token.end[0] - start))
    code = tuple(
        line if at in inside else line.removeprefix(indent) for at, line in enumerate(lines[start:end])
    )
    comments = tuple(line.removeprefix(indent) for line in lines[above:start])
    tree, normal = _read("\n".join(code).strip())
    return Row((depth, normal), comments, code, frozenset(inside), reads(tree), frozenset(_sets(tree)))


def _read(text: str) -> tuple[ast.AST, str]:
    """A logical line as a tree, and as Python itself would write it."""
    for before, behind in _FRAMES:
        try:
            tree = ast.parse(before + text + behind)
        except (SyntaxError, ValueError):
            continue
        return tree, ast.unparse(tree)
    return ast.Module([], []), " ".join(text.split())


def reads(tree: ast.AST) -> frozenset[str]:
    """Return the names that are read in a tree."""
    return frozenset(
        node.id for node in every_node(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


def _sets(tree: ast.AST) -> Iterator[tuple[str, str]]:
    said = ast.unparse(_giver(tree))
    for node in every_node(tree):
        match node:
            case ast.arg(arg=name):
                yield name, "parameter"
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, "definition"
            case ast.Name(id=name, ctx=ast.Store()):
                yield name, said
            case ast.alias():
                yield node.asname or node.name.partition(".")[0], said
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                yield name, "caught"


def _giver(tree: ast.AST) -> ast.AST:
    """Return the source of an assigned value: the callee of a call, else the whole statement."""
    match tree:
        case ast.Module(
            body=[ast.Assign(value=ast.Call(func=func)) | ast.AnnAssign(value=ast.Call(func=func))]
        ):
            return func
    return tree


def bound(rows: Iterable[Row]) -> set[str]:
    """Return the names that some of the rows set."""
    return {name for row in rows for name, _ in row.sets}


def lost(base: Sequence[Row], side: Sequence[Row]) -> set[str]:
    """Return the names of the base that nothing sets any more in the way in which the base did."""
    kept = {name for name, _ in _all_sets(base) & _all_sets(side)}
    return bound(base) - kept


def _all_sets(rows: Sequence[Row]) -> set[tuple[str, str]]:
    return {each for row in rows for each in row.sets}
