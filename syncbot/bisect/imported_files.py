"""Which files of the backend a test brings in: the closure of its imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from syncbot.api.every_node import every_node
from syncbot.api.statement_parts import imported
from syncbot.api.tree import ModuleTree
from syncbot.contracts.sources import Backend
from syncbot.errors import UsageError


def imported_files(backend: Backend, tree: ModuleTree, test: Path) -> tuple[frozenset[str], frozenset[str]]:
    """The backend's files that a test file imports, itself included, and other names that it imports. Raises
    UsageError for a bad file."""
    try:
        text = test.read_bytes()
    except OSError as error:
        raise UsageError(f"{test}: {error.strerror}: name the file of the failing test") from error
    paths = {file.path: file.module for file in backend.files}
    own = test.resolve()
    root = backend.root.resolve()
    shown = own.relative_to(root).as_posix() if own.is_relative_to(root) else ""
    module = paths.get(shown, "")
    try:
        wanted = list(_names(tree, module, text))
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"{test} cannot be parsed ({error}): fix it first") from error
    foreign = frozenset(name for name in wanted if not tree.owns(name))
    seen: set[str] = set()
    pending = [name for name in wanted if tree.owns(name)] + ([module] if module else [])
    while pending:
        name = pending.pop()
        for current in _with_packages(tree, name):
            if current not in seen:
                seen.add(current)
                pending.extend(_own(tree, current))
    files = {path for path, module in paths.items() if module in seen}
    return frozenset(files | ({shown} if shown in paths else set())), foreign


def _own(tree: ModuleTree, module: str) -> list[str]:
    try:
        return [name for name in _names(tree, module, tree.source(module) or b"") if tree.owns(name)]
    except (SyntaxError, ValueError):
        return []


def _names(tree: ModuleTree, module: str, text: bytes) -> Iterator[str]:
    """The dotted names that a module imports; ``from a import b`` is ``a.b``, which may be a module."""
    for node in every_node(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for each in imported(node, ""):
                origin = tree.absolute(module, each.level, each.module)
                yield f"{origin}.{each.name}" if each.name and each.name != "*" else origin


def _with_packages(tree: ModuleTree, name: str) -> Iterator[str]:
    """The module that a dotted name is or lies in, and the packages around it, which run first."""
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        module = ".".join(parts[:length])
        if tree.path(module) is not None:
            yield module
