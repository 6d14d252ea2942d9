"""Edits of statements by their exact text, line by line, at any indentation; the result has to parse."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import Field, field_validator

from syncbot.api.every_node import children
from syncbot.api.newer_syntax import parsed
from syncbot.patching.argument_types import Dotted, SourcePath, statements
from syncbot.patching.errors import CannotRewrite, NoMatch
from syncbot.patching.registry import Rule
from syncbot.patching.source import Source

_Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class FileRule(Rule):
    """A rule about one file."""

    file: SourcePath

    def concerns(self, path: str) -> bool:
        """Only the one file."""
        return path == self.file


class StatementRule(FileRule):
    """A rule about statements of one file, within a function or class of it."""

    within: Dotted | None = Field(
        default=None, description="the function or class that holds them, as Class.method; null: the module"
    )

    @property
    def where(self) -> str:
        """The function, class or module, for messages."""
        return self.within or "the module"

    def opened(self, source: Source) -> tuple[Lines, Span]:
        """Return the lines of a source, and the region that the statements stand in."""
        lines = Lines(source.text, source.path)
        return lines, lines.definition(self.within)


class CodeRule(StatementRule):
    """A statement rule with one piece of code."""

    code: str = Field(description="source text of whole statements, dedented")

    @field_validator("code")
    @classmethod
    def _parses(cls, value: str) -> str:
        return checked(value)


def checked(text: str) -> str:
    """Return the text dedented. Raises ValueError if it is not whole statements."""
    text = textwrap.dedent(text).strip("\n")
    # In a function, so that return, yield and await may stand alone.
    wrapped = "async def _():\n" + textwrap.indent(text, " ") + "\n"
    body = statements(wrapped, "not whole Python statements")
    if not text or len(body) != 1:
        raise ValueError("not whole Python statements")
    return text


@dataclass(frozen=True, slots=True)
class Span:
    """Lines ``start`` to ``end`` (0-based, end exclusive) at an indentation."""

    start: int
    end: int
    indent: str


class Lines:
    """A source text as lines, edited by whole lines; line ends are kept as the file has them."""

    def __init__(self, text: str, path: str) -> None:
        self._path = path
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._lines = text.split("\n")

    def text(self) -> str:
        """Return the text. Raises CannotRewrite if it no longer parses."""
        self._tree("not valid Python after the edit")
        return "\n".join(self._lines)

    def definition(self, within: str | None) -> Span:
        """Return the lines of a function or class, decorators and all. Raises NoMatch, CannotRewrite."""
        if within is None:
            return Span(0, len(self._lines), "")
        node = self._definition(within)
        first = first_line(node)
        line = self._lines[node.body[0].lineno - 1]
        if node.body[0].lineno == node.lineno:
            raise CannotRewrite(f"{self._path}: {within} has its body on its first line")
        return Span(first, node.end_lineno or node.lineno, line[: len(line) - len(line.lstrip())])

    def find(self, code: str, region: Span) -> list[Span]:
        """Return where the statements stand within the region."""
        wanted = code.split("\n")
        found = []
        for start in range(region.start, region.end - len(wanted) + 1):
            line = self._lines[start]
            indent = line[: len(line) - len(line.lstrip())]
            if all(self._same(start + i, indent, text) for i, text in enumerate(wanted)):
                found.append(Span(start, start + len(wanted), indent))
        return found

    def find_one(self, code: str, region: Span, where: str) -> Span:
        """Return the only place of the statements. Raises NoMatch, CannotRewrite if there are several."""
        found = self.find(code, region)
        first = code.strip().splitlines()[0]
        if not found:
            raise NoMatch(f"{self._path}: {where} does not hold {first!r}")
        if len(found) > 1:
            times = f"{len(found)} times; give more of the text around it"
            raise CannotRewrite(f"{self._path}: {where} holds {first!r} {times}")
        return found[0]

    def replace(self, span: Span, code: str | None, blank_before: int = 0) -> None:
        """Put statements in the place of the lines; None removes them."""
        end = "\r" if self._newline == "\r\n" else ""
        new = [] if code is None else code.split("\n")
        lines = [end] * blank_before + [f"{span.indent}{t}{end}" if t.strip() else end for t in new]
        self._lines[span.start : span.end] = lines

    def blank_above(self, start: int) -> int:
        """Return how many empty lines stand above a line."""
        count = 0
        while start - count > 0 and not self._lines[start - count - 1].strip():
            count += 1
        return count

    def last_text(self, region: Span) -> int:
        """Return the index behind the region's last line that is not empty."""
        end = region.end
        while end > region.start and not self._lines[end - 1].strip():
            end -= 1
        return end

    def body_start(self, within: str | None) -> int:
        """Return the index of the first statement after a docstring (and ``__future__`` imports)."""
        node = self._tree() if within is None else self._definition(within)
        for index, statement in enumerate(node.body):
            docstring = index == 0 and isinstance(statement, ast.Expr) and ast.get_docstring(node) is not None
            future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
            if not docstring and not future:
                return first_line(statement)
        return (node.body[-1].end_lineno or 0) if node.body else 0

    def _definition(self, within: str) -> _Definition:
        nodes: list[_Definition] = []
        for part in within.split("."):
            outer: list[ast.AST] = [*nodes] or [self._tree()]
            nodes = [child for node in outer for child in _definitions(node) if child.name == part]
            if not nodes:
                raise NoMatch(f"{self._path}: no definition of {within}")
        if len(nodes) > 1:
            raise CannotRewrite(f"{self._path}: {len(nodes)} definitions of {within}; name the one meant")
        return nodes[0]

    def _tree(self, otherwise: str = "not valid Python") -> ast.Module:
        try:
            return parsed("\n".join(self._lines).lstrip("\ufeff"))
        except SyntaxError as error:
            raise CannotRewrite(f"{self._path}:{error.lineno}: {otherwise}: {error.msg}") from error

    def _same(self, at: int, indent: str, text: str) -> bool:
        line = self._lines[at].rstrip("\r")
        return not line.strip() if not text.strip() else line == indent + text


def _definitions(node: ast.AST) -> list[_Definition]:
    """The definitions of a body, those under ``if``, ``try`` and ``with`` included."""
    found: list[_Definition] = []
    for child in children(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.append(child)
        elif isinstance(child, (ast.If, ast.Try, ast.With, ast.ExceptHandler)):
            found.extend(_definitions(child))
    return found


def first_line(node: ast.stmt) -> int:
    """Return the 0-based line on which a statement starts, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
