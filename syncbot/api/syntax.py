"""Source text to a syntax tree, whatever Python the text is for. Nothing is imported or executed."""

from __future__ import annotations

import ast
import re
import warnings
from functools import lru_cache

from syncbot.api import former_names
from syncbot.api.every_node import every_node
from syncbot.api.newer_syntax import older

_HALF_A_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]|\\U0000[dD][89a-fA-F]")


@lru_cache(maxsize=2)
def parse(source: bytes) -> ast.Module:
    """The syntax tree of a module, to be read only; the last two stay. Raises what ast.parse raises."""
    return syntax_tree(source)


def syntax_tree(source: bytes) -> ast.Module:
    """The syntax tree of a text, also of one for a newer or an older Python. Raises what ast.parse raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
        except SyntaxError:
            other = _other_python(source)
            if other is None:
                raise
            tree = other
    if _HALF_A_CHARACTER.search(source):
        _without_halves(tree)
    return tree


def _other_python(source: bytes) -> ast.Module | None:
    instead = older(source)
    try:
        return former_names.parsed(source) if instead is None else ast.parse(instead)
    except SyntaxError:
        return None


def _without_halves(tree: ast.Module) -> None:
    """Write the halves of characters in a tree's strings as escapes: else nothing of them could be kept."""
    for node in every_node(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = node.value.encode("utf-8", "backslashreplace").decode()


def parsed(source: bytes | None) -> ast.Module | None:
    """As :func:`parse`, None for what cannot be parsed or is not there."""
    try:
        return parse(source) if source is not None else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
