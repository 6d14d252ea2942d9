"""What comes along with a value of upstream: the statement that makes it, and the import of its name."""

from __future__ import annotations

import ast
from collections.abc import Collection

from syncbot.api.model import Import
from syncbot.migrate.routines import binding, earlier, names, parameters
from syncbot.migrate.world import Routine, SyntaxFile, UpstreamFunction, World
from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.add_statement import AddStatement


def made_by(name: str, place: ast.expr, new: Routine, old: Routine | None) -> ast.expr | None:
    """What upstream's function sets a variable to, by one statement of its own on every way to a place.

    A statement that calls something is only taken if it is new: one that was there before, and that ours
    does not have, ours does without.
    """
    if len(binding(new, name)) != 1 or name in parameters(new):
        return None
    for statement in earlier(new, place):
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                pass
            case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
                pass
            case _:
                continue
        calls = any(isinstance(n, ast.Call) for n in ast.walk(value))
        kept = old is None or ast.unparse(statement) in {ast.unparse(n) for n in _simple(old)}
        return None if calls and kept else value
    return None


def prepared_by(
    used: Collection[str], place: ast.expr, new: Routine, old: Routine | None, ours: Routine
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
    return [n for n in ast.walk(routine) if isinstance(n, ast.Expr | ast.Assign | ast.AnnAssign)]


def imported(world: World, path: str, name: str, function: UpstreamFunction) -> Rule | None:
    """The import of a name that upstream's module imports or defines, where a file of ours can have it.

    Our file has to import something of upstream's module already, so that nothing new is loaded.
    """
    syntax = world.syntax(path)
    symbol = world.pair.new.local(function.module, name)
    if syntax is None or symbol is None or symbol.kind not in ("class", "function"):
        return None
    if _mentions(syntax, name):
        return None
    home = _home(world, function.module, name)
    anchor = _anchor(world, path, syntax, function.module)
    if home is None or anchor is None:
        return None
    module, original = home
    shown = original if original == name else f"{original} as {name}"
    return AddStatement(
        file=path, code=f"from {module} import {shown}", position="after", anchor=syntax.source(anchor)
    )


def _home(world: World, module: str, name: str) -> tuple[str, str] | None:
    """From which module, and by which name, an upstream module has one of its names."""
    table = world.pair.new.table(module)
    found = [i for i in table.imports if i.local == name] if table is not None else []
    if not found:
        return module, name
    only: Import = found[0]
    plain = len(found) == 1 and not only.level and not only.scope and not only.guards
    return (only.module, only.name) if plain and only.name is not None else None


def _mentions(syntax: SyntaxFile, name: str) -> bool:
    """Whether a file says the name anywhere, as a variable, a parameter, a definition or an import."""
    for node in ast.walk(syntax.tree):
        match node:
            case ast.Name(id=said) | ast.arg(arg=said):
                pass
            case ast.FunctionDef(name=said) | ast.AsyncFunctionDef(name=said) | ast.ClassDef(name=said):
                pass
            case ast.alias(name=original, asname=local):
                said = local or original
            case _:
                continue
        if said == name:
            return True
    return False


def _anchor(world: World, path: str, syntax: SyntaxFile, module: str) -> ast.ImportFrom | None:
    """The last import at the top of our file, if one of them loads an upstream module."""
    universe, loads = world.pair.new, False
    found: ast.ImportFrom | None = None
    for node in syntax.tree.body:
        if not isinstance(node, ast.ImportFrom) or node.level or node.module is None:
            continue
        top = module.partition(".")[0]
        if node.module.partition(".")[0] != top:
            continue
        found = node
        homes = [universe.local(world.module(path), a.asname or a.name) for a in node.names]
        loads = loads or node.module == module or any(s is not None and s.module == module for s in homes)
    return found if loads else None


def used_names(expression: ast.expr) -> set[str]:
    """The names that an expression reads, without those that it binds itself."""
    own = {n.id for n in names(expression) if isinstance(n.ctx, ast.Store)}
    return {n.id for n in names(expression)} - own
