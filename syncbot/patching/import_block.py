"""The imports of a module, a function or ``if TYPE_CHECKING:``, as lines in isort's order. A name goes where
it belongs among them, whichever others are there: no import leans on another one's exact line."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeAlias

from syncbot.api.newer_syntax import parsed
from syncbot.patching import imports
from syncbot.patching import lazy_libcst as cst
from syncbot.patching.errors import CannotRewrite, NoMatch

Statement: TypeAlias = ast.Import | ast.ImportFrom


@dataclass(frozen=True, slots=True)
class Imported:
    """One imported name: ``from module import name as alias``, or ``import name`` without a module."""

    module: str
    name: str
    alias: str | None

    @property
    def local(self) -> str:
        """The name that it is used by."""
        return self.alias or self.name

    @property
    def line(self) -> str:
        """The statement that imports it alone."""
        given = self.name if self.alias is None else f"{self.name} as {self.alias}"
        return f"from {self.module} import {given}" if self.module else f"import {given}"


@dataclass(frozen=True, slots=True)
class ImportBlock:
    """The lines of a source with its imports at one place, in sections that something sets apart."""

    path: str
    lines: tuple[str, ...]
    sections: tuple[tuple[Statement, ...], ...]

    def added(self, new: Imported) -> str:
        """Return the source with the name. Raises NoMatch where it is there, CannotRewrite where another
        has its name."""
        for there in self._names():
            if there == new:
                raise NoMatch(f"{self.path}: imports {new.local} already")
            if there.local == new.local:
                raise CannotRewrite(f"{self.path}: {new.local} is imported from elsewhere: {there.line}")
        for statement in self._statements():
            if new.module and new.alias is None and _plainly_from(statement, new.module):
                return self._with(statement, [imports.with_name(self._node(statement), _alias(new))])
        return self._inserted(new)

    def removed(self, old: Imported) -> str:
        """Return the source without the name. Raises NoMatch where it is not there."""
        statement = next((s for s in self._statements() if old in _names_of(s)), None)
        if statement is None:
            raise NoMatch(f"{self.path}: does not import {old.local}: {old.line}")
        several = len(statement.names) > 1
        kept = [imports.without(self._node(statement), _alias(old))] if several else []
        return self._with(statement, kept)

    def _names(self) -> list[Imported]:
        return [name for statement in self._statements() for name in _names_of(statement)]

    def _statements(self) -> list[Statement]:
        return [statement for section in self.sections for statement in section]

    def _node(self, statement: Statement) -> cst.ImportFrom:
        text = "\n".join(self.lines[statement.lineno - 1 : statement.end_lineno])
        line = cst.parse_statement(textwrap.dedent(text))
        node = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
        if not isinstance(node, cst.ImportFrom):
            raise CannotRewrite(f"{self.path}:{statement.lineno}: no import on lines of its own")
        return node

    def _with(self, statement: Statement, nodes: Sequence[cst.ImportFrom]) -> str:
        """The source with another statement in the place of one, or without it."""
        start, end = statement.lineno - 1, _end(statement)
        if not nodes:
            if next(section for section in self.sections if statement in section) == (statement,):
                # The empty line that set the section apart goes with it.
                if self._is_empty(end):
                    end += 1
                elif self._is_empty(start - 1):
                    start -= 1
            return "\n".join([*self.lines[:start], *self.lines[end:]])
        line = cst.parse_module(textwrap.dedent("\n".join(self.lines[start:end]))).body[0]
        new = cst.Module([line.with_changes(body=list(nodes))]).code.rstrip("\n").split("\n")
        indent = self._indent(statement)
        new = [f"{indent}{text}" if text else text for text in new]
        return "\n".join([*self.lines[:start], *new, *self.lines[end:]])

    def _is_empty(self, at: int) -> bool:
        return 0 <= at < len(self.lines) and not self.lines[at].strip()

    def _indent(self, statement: Statement) -> str:
        return self.lines[statement.lineno - 1][: statement.col_offset]

    def _inserted(self, new: Imported) -> str:
        """The source with a statement of its own for the name."""
        if not self.sections:
            raise CannotRewrite(f"{self.path}: has no imports among which {new.line} has a place")
        kinds = [_kind(_names_of(section[0])[0], self.path) for section in self.sections]
        kind = _kind(new, self.path)
        line = f"{self._indent(self.sections[0][0])}{new.line}"
        same = self.sections[kinds.index(kind)] if kind in kinds else ()
        after = [s for s in same if _key(_names_of(s)[0]) > _key(new)]
        later = [section for section, theirs in zip(self.sections, kinds, strict=True) if theirs > kind]
        if after:
            return self._put(after[0].lineno - 1, [line])
        if same:
            return self._put(_end(same[-1]), [line])
        if later:
            return self._put(later[0][0].lineno - 1, [line, ""])
        return self._put(_end(self.sections[-1][-1]), ["", line])

    def _put(self, at: int, new: Sequence[str]) -> str:
        return "\n".join([*self.lines[:at], *new, *self.lines[at:]])


def import_block(source: str, path: str, body: Sequence[ast.stmt]) -> ImportBlock:
    """Return the absolute imports directly among the statements of a body."""
    lines = tuple(source.split("\n"))
    sections: list[list[Statement]] = []
    before: ast.stmt | None = None
    for statement in body:
        if isinstance(statement, ast.Import) or (
            isinstance(statement, ast.ImportFrom) and not statement.level
        ):
            if sections and before is sections[-1][-1] and lines[statement.lineno - 2].strip():
                sections[-1].append(statement)
            else:
                sections.append([statement])
        before = statement
    return ImportBlock(path, lines, tuple(map(tuple, sections)))


def body_of(tree: ast.Module, within: Sequence[str], type_checking: bool) -> list[ast.stmt] | None:
    """Return the statements of a definition, or of ``if TYPE_CHECKING:``; None where there is none such."""
    body = tree.body
    for part in within:
        defined = (n for n in body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef))
        found = next((node for node in defined if node.name == part), None)
        if found is None:
            return None
        body = found.body
    if not type_checking:
        return body
    tests = (node for node in body if isinstance(node, ast.If))
    return next((node.body for node in tests if ast.unparse(node.test).endswith("TYPE_CHECKING")), None)


def tree_of(source: str, path: str) -> ast.Module:
    """Return the syntax of a source. Raises CannotRewrite."""
    try:
        return parsed(source)
    except SyntaxError as error:
        raise CannotRewrite(f"{path}:{error.lineno}: not valid Python: {error.msg}") from error


def _names_of(statement: Statement) -> list[Imported]:
    module = (statement.module or "") if isinstance(statement, ast.ImportFrom) else ""
    return [Imported(module, alias.name, alias.asname) for alias in statement.names]


def _plainly_from(statement: Statement, module: str) -> bool:
    """Whether names without ``as`` of a module are imported by the statement."""
    same = isinstance(statement, ast.ImportFrom) and statement.module == module
    return same and all(name.asname is None and name.name != "*" for name in statement.names)


def _alias(imported: Imported) -> cst.ImportAlias:
    name = cst.Name(imported.name)
    asname = None if imported.alias is None else cst.AsName(cst.Name(imported.alias))
    return cst.ImportAlias(name, asname)


def _kind(imported: Imported, path: str) -> int:
    """isort's section: the future, Python's own, others, the package that the file is of."""
    top = (imported.module or imported.name).partition(".")[0]
    if top == "__future__":
        return 0
    if top in sys.stdlib_module_names:
        return 1
    return 3 if top in PurePosixPath(path).parts else 2


def _key(imported: Imported) -> tuple[object, ...]:
    """isort's order within a section: ``import`` first, then by module, names without ``as`` first."""
    module = imported.module or imported.name
    parts = re.split(r"(\d+)", module.lower())
    natural = tuple((part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts)
    return (bool(imported.module), natural, module, imported.alias is not None, imported.name)


def _end(statement: Statement) -> int:
    return statement.end_lineno or statement.lineno
