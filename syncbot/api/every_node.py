"""A faster ``ast.walk``: most of its time goes into nodes in which nothing stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator

# Fields that hold texts, numbers, contexts and operators in any node that has them.
_PLAIN = {
    *("ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment", "module", "level", "asname"),
    *("is_async", "simple", "conversion"),
}


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each class of nodes that may hold nodes, found when first asked for."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        self[kind] = found = tuple(field for field in kind._fields if field not in _PLAIN)
        return found


_FIELDS = _Fields()


def every_node(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, as ``ast.walk`` has them, but for contexts (``ast.Load``) and operators."""
    reached = [node]
    for known in reached:
        _add_children(known, reached)
        yield known


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below a node, as ``ast.iter_child_nodes`` has them, but for contexts and operators."""
    found: list[ast.AST] = []
    _add_children(node, found)
    return found


def _add_children(node: ast.AST, found: list[ast.AST]) -> None:
    held = node.__dict__
    for field in _FIELDS[node.__class__]:
        value = held.get(field)
        if value.__class__ is list:
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
