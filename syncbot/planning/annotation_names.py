"""Finds the imports that give the names of an upstream annotation the same meaning in a file of ours."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from syncbot.api.model import Import
from syncbot.api.statement_parts import type_checking
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.add_statement import AddStatement
from syncbot.planning.accompanying_statements import home_of, imported
from syncbot.planning.function_facts import names, says
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import SyntaxFile


@dataclass(frozen=True, slots=True)
class Known:
    """The imports that make all names known, and whether some are known to type checkers alone where the file
    evaluates annotations."""

    imports: tuple[Rule, ...]
    quoted: bool


def known_names(context: PlanningContext, module: str, expression: ast.expr, path: str) -> Known | None:
    """Return what makes the names of an annotation of an upstream module mean the same in our file; None
    where they cannot."""
    syntax = context.syntax(path)
    if syntax is None:
        return None
    rules: list[Rule] = []
    only_checked = False
    for name in dict.fromkeys(node.id for node in names(expression)):
        if _same(context, module, name, context.module(path)):
            only_checked = only_checked or _only_for_checkers(context, context.module(path), name)
            continue
        if says(syntax.tree, name):
            return None
        line = _import(context, module, name, path, syntax)
        if line is not None:
            rules.append(line)
            continue
        checked = _checked_import(context, module, name, path, syntax)
        if checked is None:
            return None
        rules.append(checked)
        only_checked = True
    return Known(tuple(rules), only_checked and not _postponed(syntax.tree))


def _same(context: PlanningContext, module: str, name: str, mine: str) -> bool:
    """Whether a name at the top of an upstream module is the same at the top of one of ours."""
    universe = context.pair.new
    theirs, ours = universe.local(module, name), universe.local(mine, name)
    if theirs is not None or ours is not None:
        return theirs is not None and ours is not None and theirs.name == ours.name
    outside = universe.external_name(module, name)
    return outside == universe.external_name(mine, name) and (outside != name or hasattr(builtins, name))


def _only_for_checkers(context: PlanningContext, module: str, name: str) -> bool:
    """Whether a module imports a name for type checkers alone."""
    table = context.pair.new.table(module)
    found = [i for i in table.imports if i.local == name] if table is not None else []
    return bool(found) and all(type_checking(i.guards) for i in found)


def _import(context: PlanningContext, module: str, name: str, path: str, syntax: SyntaxFile) -> Rule | None:
    """The import of a name in a file of ours that loads nothing new: upstream's module has it loaded."""
    if _defined(context, module, name):
        return imported(context, path, name, module)
    item = _item(context, module, name)
    beside = _beside(syntax, item.module) if item is not None and not item.guards else None
    if item is None or beside is None:
        return None
    anchor, position = beside
    return AddStatement(file=path, code=_line(item), position=position, anchor=syntax.source(anchor))


def _defined(context: PlanningContext, module: str, name: str) -> bool:
    """Whether upstream itself defines what a module has by a name."""
    symbol = context.pair.new.local(module, name)
    return symbol is not None and symbol.kind != "unknown"


def _checked_import(
    context: PlanningContext, module: str, name: str, path: str, syntax: SyntaxFile
) -> Rule | None:
    """The import of a name beside those that our file makes for type checkers alone; None without any."""
    item = _item(context, module, name)
    if item is None:
        home = home_of(context, module, name) if _defined(context, module, name) else None
        item = Import(*home, name, 0, 0) if home is not None else None
    for node in syntax.tree.body:
        if isinstance(node, ast.If) and type_checking([f"if {ast.unparse(node.test)}"]) and item is not None:
            last = node.body[-1]
            if isinstance(last, ast.Import | ast.ImportFrom):
                anchor = syntax.source(last)
                return AddStatement(file=path, code=_line(item), position="after", anchor=anchor)
    return None


def _item(context: PlanningContext, module: str, name: str) -> Import | None:
    """The one import by which an upstream module has a name, at its top or for type checkers alone."""
    table = context.pair.new.table(module)
    found = [i for i in table.imports if i.local == name] if table is not None else []
    if len(found) != 1 or found[0].scope or found[0].level or found[0].name == "*":
        return None
    return found[0] if not found[0].guards or type_checking(found[0].guards) else None


def _line(item: Import) -> str:
    """An import as a statement."""
    if item.name is not None:
        alias = "" if item.local == item.name else f" as {item.local}"
        return f"from {item.module} import {item.name}{alias}"
    top = item.module.partition(".")[0]
    return f"import {top}" if item.local == top else f"import {item.module} as {item.local}"


def _beside(
    syntax: SyntaxFile, module: str
) -> tuple[ast.Import | ast.ImportFrom, Literal["before", "after"]] | None:
    """Next to which import at the top of a file one of another module stands: the last one of that module,
    of its package, of its kind (Python's own or not); None in a file without imports."""
    every = [
        n for n in syntax.tree.body
        if isinstance(n, ast.Import) or (isinstance(n, ast.ImportFrom) and not n.level)
    ]  # fmt: skip
    sames: tuple[Callable[[str], object], ...] = (str, _top, _is_pythons)
    for same in sames:
        found = [n for n in every if same(_module(n)) == same(module)]
        if found:
            return found[-1], "after"
    others = [n for n in every if _module(n) != "__future__"]
    if others and _is_pythons(module):
        return others[0], "before"
    return (every[-1], "after") if every else None


def _module(node: ast.Import | ast.ImportFrom) -> str:
    return node.module or "" if isinstance(node, ast.ImportFrom) else node.names[0].name


def _top(module: str) -> str:
    return module.partition(".")[0]


def _is_pythons(module: str) -> bool:
    top = _top(module)
    return top in sys.stdlib_module_names and top != "__future__"


def _postponed(tree: ast.Module) -> bool:
    """Whether a file's annotations are not evaluated."""
    return any(
        isinstance(n, ast.ImportFrom) and n.module == "__future__"
        and any(alias.name == "annotations" for alias in n.names)
        for n in tree.body
    )  # fmt: skip
