"""The statements of upstream functions, read where a judge needs more than the interface table has."""

from __future__ import annotations

from syncbot.api.expressions import FunctionNode
from syncbot.api.function_text import function_text
from syncbot.api.model import Function
from syncbot.api.remembered_answers import remembered
from syncbot.api.syntax import syntax_tree
from syncbot.api.universe import Universe
from syncbot.contracts.dependency_keys import body_look


def function_node(
    universe: Universe, module: str, function: Function, owner: str = ""
) -> FunctionNode | None:
    """The syntax tree of a function of a module, in the class ``owner``; None where it cannot be read. This
    counts as a look at its body."""
    universe.replay((body_look(module, f"{owner}.{function.name}" if owner else function.name),))
    source = universe.source(module)
    node = None if source is None else _read(source, function.line, function.end_line)
    return node if node is not None and node.name == function.name else None


@remembered(512)
def _read(source: bytes, first: int, last: int) -> FunctionNode | None:
    try:
        tree = syntax_tree(function_text(source, first, last).encode())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    node = tree.body[0] if tree.body else None
    return node if isinstance(node, FunctionNode) else None
