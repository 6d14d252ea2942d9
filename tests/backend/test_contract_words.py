"""Every override of the backend says the contract that it fulfils."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "backend" / "src" / "ascend_backend"


def overrides(tree: ast.AST) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the constructors of subclasses."""
    for cls in ast.walk(tree):
        if isinstance(cls, ast.ClassDef) and cls.bases:
            for node in cls.body:
                if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                    yield cls.name, node


def test_constructors_of_subclasses_say_what_they_add() -> None:
    found = [
        (name, node)
        for path in SOURCES.rglob("*.py")
        for name, node in overrides(ast.parse(path.read_text()))
    ]
    assert "NPUWorker" in [name for name, _ in found]
    assert [name for name, node in found if ast.get_docstring(node) is None] == []
