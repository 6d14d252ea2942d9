"""Finds the statement that sets an upstream value and the import of its name, to be added with the value."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.model import Import
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.add_statement import AddStatement
from syncbot.planning.function_facts import binding, earlier, names, parameters, says
from syncbot.planning.planning_context import PlanningContext
from syncbot.planning.syntax_file import Routine, SyntaxFile


def made_by(name: str, place: ast.expr, new: Routine, old: Routine | None) -> list[ast.stmt]:
    """The statements of upstream's function that set a variable, on every way to a place: one that does, or a
    plain one and branches that set it to something else. None of them does anything beside.

    A statement that calls something is only taken if it is new: one that was there before, and that ours
    does not have, ours does without.
    """
    before = earlier(new, place)
    found = [part for statement in before for part in _sliced(statement, name)]
    sets = [n for part in found for n in every_node(part) if isinstance(n, ast.Assign | ast.AnnAssign)]
    if name in parameters(new) or len(binding(new, name)) != len(sets) or not sets:
        return []
    # Without a statement of its own at first, some way there has no value.
    if not isinstance(found[0], ast.Assign | ast.AnnAssign):
        return []
    if any(isinstance(n, ast.Call) for part in found for n in every_node(part)):
        known = {ast.unparse(n) for n in _simple(old)} if old is not None else set()
        if len(found) > 1 or old is None or ast.unparse(found[0]) in known:
            return []
    return found


def _sliced(statement: ast.stmt, name: str) -> list[ast.stmt]:
    """Return the part of a statement that sets a variable, branches included; empty where none does."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)]) if target == name:
            return [statement]
        case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
            plain = ast.Assign([ast.Name(name, ast.Store())], value)
            return [ast.fix_missing_locations(ast.copy_location(plain, statement))]
        case ast.If(test=test, body=body, orelse=orelse):
            then = [part for inner in body for part in _sliced(inner, name)]
            other = [part for inner in orelse for part in _sliced(inner, name)]
            if then or other:
                return [ast.copy_location(ast.If(test, then or [ast.Pass()], other), statement)]
    return []


def expressions(statement: ast.stmt) -> list[ast.expr]:
    """Return the expressions that a statement of ``made_by`` reads: its value, or its tests and values."""
    match statement:
        case ast.Assign(value=value):
            return [value]
        case ast.If(test=test, body=body, orelse=orelse):
            return [test, *(e for inner in (*body, *orelse) for e in expressions(inner))]
    return []


def prepared_by(
    used: Collection[str], place: ast.AST, new: Routine, old: Routine | None, ours: Routine
) -> list[ast.Expr]:
    """New statements of upstream's function before a place that hand one of these variables to a call, and
    may change what it holds; those that ours has are left out."""
    if old is None:
        return []
    known = {ast.unparse(n) for routine in (old, ours) for n in _simple(routine)}
    found = []
    for statement in earlier(new, place):
        if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
            continue
        given = [*statement.value.args, *(k.value for k in statement.value.keywords)]
        if (
            any(isinstance(a, ast.Name) and a.id in used for a in given)
            and ast.unparse(statement) not in known
        ):
            found.append(statement)
    return found


def _simple(routine: Routine) -> list[ast.stmt]:
    return [n for n in every_node(routine) if isinstance(n, ast.Expr | ast.Assign | ast.AnnAssign)]


def imported(context: PlanningContext, path: str, name: str, home: str) -> Rule | None:
    """The import of a name that an upstream module imports or defines, where a file of ours can have it. Our
    file has to import something of upstream's module already, so that nothing new is loaded."""
    syntax = context.syntax(path)
    symbol = context.pair.new.local(home, name)
    if syntax is None or symbol is None or symbol.kind not in ("class", "function"):
        return None
    if says(syntax.tree, name):
        return None
    found = home_of(context, home, name)
    anchor = _anchor(context, path, syntax, home)
    if found is None or anchor is None:
        return None
    module, original = found
    shown = original if original == name else f"{original} as {name}"
    return AddStatement(
        file=path, code=f"from {module} import {shown}", position="after", anchor=syntax.source(anchor)
    )


def home_of(context: PlanningContext, module: str, name: str) -> tuple[str, str] | None:
    """From which module, and by which name, an upstream module has one of its names."""
    table = context.pair.new.table(module)
    found = [i for i in table.imports if i.local == name] if table is not None else []
    if not found:
        return module, name
    only: Import = found[0]
    plain = len(found) == 1 and not only.level and not only.scope and not only.guards
    return (only.module, only.name) if plain and only.name is not None else None


def _anchor(context: PlanningContext, path: str, syntax: SyntaxFile, module: str) -> ast.ImportFrom | None:
    """The last import at the top of our file, if one of them loads an upstream module."""
    universe, loads = context.pair.new, False
    found: ast.ImportFrom | None = None
    for node in syntax.tree.body:
        if not isinstance(node, ast.ImportFrom) or node.level or node.module is None:
            continue
        top = module.partition(".")[0]
        if node.module.partition(".")[0] != top:
            continue
        found = node
        homes = [universe.local(context.module(path), a.asname or a.name) for a in node.names]
        loads = loads or node.module == module or any(s is not None and s.module == module for s in homes)
    return found if loads else None


def used_names(node: ast.AST) -> set[str]:
    """The names that an expression or statement reads, without those that it binds itself."""
    own = {n.id for n in names(node) if isinstance(n.ctx, ast.Store)}
    return {n.id for n in names(node)} - own


def without_statement(
    statement: ast.stmt, body: Sequence[ast.stmt], path: str, syntax: SyntaxFile
) -> Rule | None:
    """The removal of a statement from a body of our file; None where no other one stands right before it."""
    at = list(body).index(statement)
    if not at or body[at - 1].end_lineno != statement.lineno - 1:
        return None
    within, code, anchor = syntax.within(statement), syntax.source(statement), syntax.source(body[at - 1])
    return AddStatement(file=path, within=within, code=code, position="after", anchor=anchor).mirror()
