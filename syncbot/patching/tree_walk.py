"""A walk without libcst's visitors, which look at every space and make all nodes anew. It loads libcst."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator
from typing import TypeAlias

import libcst as cst

from syncbot.patching.node_text import Definition

Found: TypeAlias = "tuple[cst.CSTNode, tuple[Definition, ...]]"

_DEFINITIONS = (cst.ClassDef, cst.FunctionDef)
# Fields that hold white space and punctuation, beside those whose name begins with "whitespace".
_PUNCTUATION = {
    *("header", "footer", "indent", "leading_lines", "lines_after_decorators", "leading_whitespace"),
    *("trailing_whitespace", "lpar", "rpar", "lbracket", "rbracket", "lbrace", "rbrace", "comma"),
    *("semicolon", "equal", "dot", "colon", "first_colon", "second_colon", "star", "posonly_ind"),
    *("asynchronous", "relative", "operator"),
}
# Where a class has its fields in another order than the text.
_ORDER: dict[type, tuple[str, ...]] = {
    cst.Arg: ("keyword", "value"),
    cst.ClassDef: ("decorators", "name", "type_parameters", "bases", "keywords", "body"),
    cst.ExceptHandler: ("type", "name", "body"),
    cst.ExceptStarHandler: ("type", "name", "body"),
    cst.FunctionDef: ("decorators", "name", "type_parameters", "params", "returns", "body"),
    cst.IfExp: ("body", "test", "orelse"),
    cst.MatchCase: ("pattern", "guard", "body"),
    cst.Parameters: ("posonly_params", "params", "star_arg", "kwonly_params", "star_kwarg"),
    cst.TypeAlias: ("name", "type_parameters", "value"),
}


class _Fields(dict[type, "tuple[str, ...] | None"]):
    """The fields of each class of nodes in which others may stand, last first; None for what is no node."""

    def __missing__(self, kind: type) -> tuple[str, ...] | None:
        self[kind] = _fields(kind) if issubclass(kind, cst.CSTNode) else None
        return self[kind]


def _fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    order = _ORDER.get(kind) or tuple(field.name for field in dataclasses.fields(kind))
    kept = [name for name in order if name not in _PUNCTUATION and not name.startswith("whitespace")]
    return tuple(reversed(kept))


_FIELDS = _Fields()


def _backwards(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes right below one, last first, as a stack wants them."""
    found: list[cst.CSTNode] = []
    for name in _FIELDS[type(node)] or ():
        value = getattr(node, name)
        if isinstance(value, (list, tuple)):
            found += reversed(value)
        elif _FIELDS[type(value)] is not None:
            found.append(value)
    return found


def nodes(tree: cst.CSTNode) -> Iterator[Found]:
    """All nodes but white space and punctuation in their order, each with the definitions around it."""
    todo: list[Found] = [(tree, ())]
    while todo:
        node, around = todo.pop()
        yield node, around
        if isinstance(node, _DEFINITIONS):
            around = (*around, node)
        todo += [(each, around) for each in _backwards(node)]


def mentions(tree: cst.CSTNode, name: str) -> int:
    """Return how many names of a tree are this one, and how many strings hold it."""
    return sum(
        node.value == name if isinstance(node, cst.Name) else name in node.value
        for node, _ in nodes(tree)
        if isinstance(node, (cst.Name, cst.SimpleString, cst.FormattedStringText))
    )


def above(tree: cst.CSTNode, wanted: Collection[cst.CSTNode]) -> set[cst.CSTNode] | None:
    """Return the nodes with one of ``wanted`` below them; None where white space or punctuation is wanted."""
    parents: dict[cst.CSTNode, cst.CSTNode] = {}
    left = len(wanted) - (tree in wanted)
    todo = [tree]
    while todo and left:
        node = todo.pop()
        inner = _backwards(node)
        for each in inner:
            parents[each] = node
            left -= each in wanted
        todo += inner
    if left:
        return None
    found: set[cst.CSTNode] = set()
    for node in wanted:
        while (parent := parents.get(node)) is not None and parent not in found:
            found.add(parent)
            node = parent
    return found
