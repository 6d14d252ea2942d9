"""The names that a function takes from outside of itself, and the imports that give them."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Collection


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


def with_imports(text: str, plain: Collection[str], typing: Collection[str] = ()) -> str:
    """Return a module with import statements behind its own; those for type checkers under a condition."""
    if not plain and not typing:
        return text
    new = sorted(plain)
    if typing:
        new += ["import typing", "if typing.TYPE_CHECKING:", *(f"    {line}" for line in sorted(typing))]
    tree = ast.parse(text)
    last = max(
        (n.end_lineno or 0 for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)), default=0
    )
    if not last and ast.get_docstring(tree) is not None:
        last = tree.body[0].end_lineno or 0
    rows = text.split("\n")
    rows[last:last] = new
    return "\n".join(rows)
