"""Code behind an import that fails with the old upstream already: it did not run before, nothing is lost."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from syncbot.api.expressions import FunctionNode
from syncbot.api.statement_parts import imported
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree, looks_at_all
from syncbot.contracts.built_modules import importer
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.tried_imports import names_imported, works
from syncbot.contracts.model import Place


def failed_before(place: Place, pair: Comparison) -> str | None:
    """Return what an import names that is made before a place is reached, and that fails with both upstreams;
    of a test also one in another module of the tests that is imported or read by pytest before, and which."""
    tree, line = parsed(pair.own_tree.source(place.module)), place.location.line
    if tree is None:
        return None
    before = list(_before(tree.body, line))
    failing = (n for n in before if not _is_at(n, line) or _works_in_part(n, pair))
    here = next((name for node in failing for name in _failing(node, pair)), None)
    if here is not None or place.module not in pair.tests:
        return here
    named = (name for node in before for name in _named(node, place.module, pair))
    modules = {*_read_before(place.module), *named} - {place.module}
    return next(filter(None, (_needed_failing(m, pair) for m in sorted(modules & pair.tests))), None)


def _needed_failing(module: str, pair: Comparison) -> str:
    """Return what an import names that fails with both, in a module of the tests or in one that it leads to
    by imports, with the module; empty where there is none."""
    pair.own_tree.note(looks_at_all(pair.own_tree.packages))
    if module not in pair.failing:
        reached, waiting = {module}, [module]
        imports: list[tuple[str, ast.Import | ast.ImportFrom]] = []
        while waiting:
            at = waiting.pop()
            tree = parsed(pair.own_tree.source(at))
            here = list(_imports(tree.body)) if tree is not None else []
            further = {name for node in here for name in _named(node, at, pair)} & pair.tests - reached
            imports += [(at, node) for node in here]
            reached |= further
            waiting += sorted(further)
        found = (f"{name} in {at}" for at, node in imports for name in _failing(node, pair))
        pair.failing[module] = next(found, "")
    return pair.failing[module]


def _read_before(module: str) -> Iterator[str]:
    """The modules that pytest reads before one in the same folder or below.
    https://docs.pytest.org/en/stable/reference/fixtures.html#conftest-py-sharing-fixtures-across-multiple-files
    """
    parts = module.split(".")[:-1]
    return (".".join([*parts[:length], "conftest"]) for length in range(len(parts) + 1))


def _named(node: ast.Import | ast.ImportFrom, module: str, pair: Comparison) -> Iterator[str]:
    """The modules that an import in a module may mean."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    base = pair.own_tree.absolute(module, node.level, node.module or "")
    yield base
    yield from (f"{base}.{alias.name}" for alias in node.names)


def _before(body: Sequence[ast.stmt], line: int) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports without a condition that are made before a line is reached, or that are lost with an import
    in that line. A function is called when all of the module has run, which it is defined in."""
    for statement in body:
        inside = _is_at(statement, line)
        if isinstance(statement, ast.Import | ast.ImportFrom) and inside:
            yield from _imports(body)
        elif isinstance(statement, FunctionNode | ast.ClassDef) and inside:
            if isinstance(statement, FunctionNode):
                yield from _imports(body)
            yield from _before(statement.body, line)
        elif statement.lineno < line and not inside:
            yield from _imports([statement])


def _is_at(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _works_in_part(node: ast.Import | ast.ImportFrom, pair: Comparison) -> bool:
    """Whether the old upstream has one of several names, so that another one is why the import fails."""
    return any(works(pair.old, name) for name in names_imported([node]))


def _imports(body: Sequence[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    return (s for s in body if isinstance(s, ast.Import | ast.ImportFrom))


def _failing(node: ast.Import | ast.ImportFrom, pair: Comparison) -> list[str]:
    """Return what an import names that neither upstream has, nor can be thought to get from a build."""
    gone = [
        name
        for name in names_imported([node])
        if not name.endswith(".*")
        and pair.is_upstream(name)
        and _is_whole(name, pair.old_tree)
        and not _is_put_there(name, pair.own_tree)
        and not works(pair.old, name)
        and not works(pair.new, name)
    ]
    modules = {item.module for item in imported(node, "")} if gone else set()
    trees = (pair.old_tree, pair.new_tree)
    return gone if all(importer(m, tree) is None for m in modules for tree in trees) else []


def _is_whole(name: str, tree: ModuleTree) -> bool:
    """Whether a tree has all of the package that a name belongs to: where the nearest module above it has no
    file, another distribution may have the rest (PEP 420)."""
    parts = name.split(".")
    above = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    found = next((module for module in above if tree.exists(module)), None)
    return found is not None and tree.has(found)


def _is_put_there(name: str, own: ModuleTree) -> bool:
    """Whether the backend has such a module in its own folders, which may be laid into upstream's package."""
    _, *parts = name.split(".")
    behind = [".".join(parts[begin:]) for begin in range(len(parts))]
    return any(own.exists(module) or own.exists(module.rpartition(".")[0] or module) for module in behind)
