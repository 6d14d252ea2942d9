"""A function in one version of upstream: its text, and what its names refer to there."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from syncbot.patching.errors import CannotRewrite


@dataclass(frozen=True, slots=True)
class Original:
    """Where a function is defined: its module's name and text, whether that is a package, and its name in
    the module, ``Class.method`` or ``function``."""

    module: str
    text: str
    name: str
    package: bool = False

    @property
    def symbol(self) -> str:
        """The dotted name."""
        return f"{self.module}.{self.name}"

    @property
    def owner(self) -> str | None:
        """The class that defines it."""
        return self.name.rpartition(".")[0] or None

    def function(self) -> cst.FunctionDef:
        """Return its definition. Raises CannotRewrite where the module has not just one."""
        body: Sequence[cst.BaseStatement | cst.BaseSmallStatement] = cst.parse_module(self.text).body
        *around, last = self.name.split(".")
        for name in around:
            classes = [n for n in _flat(body) if isinstance(n, cst.ClassDef) and n.name.value == name]
            if len(classes) != 1:
                raise CannotRewrite(f"{self.module} has {len(classes)} definitions of {name}")
            body = classes[0].body.body
        found = [n for n in _flat(body) if isinstance(n, cst.FunctionDef) and n.name.value == last]
        if len(found) != 1:
            raise CannotRewrite(f"{self.module} has {len(found)} definitions of {self.name}")
        return found[0]

    def origins(self) -> dict[str, Origin]:
        """Return what each name of the module's top level stands for."""
        found: dict[str, Origin] = {}
        for statement, typing_only in _top_level(ast.parse(self.text).body, False):
            for name, origin in self._bound(statement, typing_only):
                if name not in found or not typing_only:
                    found[name] = origin
        return found

    def _bound(self, statement: ast.stmt, typing_only: bool) -> Iterator[tuple[str, Origin]]:
        match statement:
            case ast.Import(names=names):
                for each in names:
                    name = each.asname or each.name.partition(".")[0]
                    yield name, Origin(each.name, None, each.asname, typing_only)
            case ast.ImportFrom(names=names, module=module, level=level):
                source = self._absolute(module, level)
                for each in names:
                    if each.name != "*":
                        yield each.asname or each.name, Origin(source, each.name, each.asname, typing_only)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, Origin(self.module, name, None, typing_only)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                for node in ast.walk(statement):
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                        yield node.id, Origin(self.module, node.id, None, typing_only)

    def _absolute(self, module: str | None, level: int) -> str:
        if not level:
            return module or ""
        parts = self.module.split(".")
        base = parts[: len(parts) - level + (1 if self.package else 0)]
        return ".".join([*base, *([module] if module else [])])


@dataclass(frozen=True, slots=True)
class Origin:
    """What binds a name: ``from module import name as alias``, or ``import module as alias`` without a name.

    ``typing_only`` is true where only a type checker sees it.
    """

    module: str
    name: str | None
    alias: str | None
    typing_only: bool

    @property
    def target(self) -> str:
        """What the name stands for, dotted; ``import a.b`` binds ``a``."""
        if self.name is not None:
            return f"{self.module}.{self.name}"
        return self.module if self.alias else self.module.partition(".")[0]

    def statement(self) -> str:
        """Return the import statement."""
        alias = f" as {self.alias}" if self.alias else ""
        if self.name is None:
            return f"import {self.module}{alias}"
        return f"from {self.module} import {self.name}{alias}"


def free_names(function: str) -> set[str]:
    """Return the names that a function (its source text) takes from outside of itself, in any depth."""
    table = symtable.symtable(function, "<function>", "exec")
    own = {s.get_name() for s in table.get_symbols() if s.is_assigned()}
    found = {s.get_name() for s in table.get_symbols() if s.is_referenced()}
    pending = list(table.get_children())
    while pending:
        inner = pending.pop()
        found |= {s.get_name() for s in inner.get_symbols() if s.is_global() and s.is_referenced()}
        pending.extend(inner.get_children())
    # A function that calls super() refers to the class around it, which is no name of the module.
    return found - own - {"__class__"}


def _flat(
    body: Sequence[cst.BaseStatement | cst.BaseSmallStatement],
) -> Iterator[cst.BaseStatement | cst.BaseSmallStatement]:
    """The statements of a body, those under a condition included."""
    for node in body:
        yield node
        if isinstance(node, cst.If):
            yield from _flat(node.body.body)
            orelse = node.orelse
            if orelse is not None:
                yield from _flat([orelse] if isinstance(orelse, cst.If) else orelse.body.body)


def _top_level(body: Sequence[ast.stmt], typing_only: bool) -> Iterator[tuple[ast.stmt, bool]]:
    for statement in body:
        match statement:
            case ast.If(test=test, body=inner, orelse=orelse):
                checking = ast.unparse(test).rpartition(".")[2] == "TYPE_CHECKING"
                yield from _top_level(inner, typing_only or checking)
                yield from _top_level(orelse, typing_only)
            case ast.Try(body=inner, handlers=handlers, orelse=orelse, finalbody=final):
                yield from _top_level(
                    [*(s for h in handlers for s in h.body), *inner, *orelse, *final], typing_only
                )
            case ast.With(body=inner):
                yield from _top_level(inner, typing_only)
            case _:
                yield statement, typing_only
