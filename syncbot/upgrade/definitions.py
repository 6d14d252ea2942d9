"""Definitions as values that can be compared: where they stand in their file does not matter."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from syncbot.api.model import Attribute, Class, Function
from syncbot.api.symbols import Node
from syncbot.api.tree import ModuleTree

_MAKERS = ("__init__", "__new__")


def interface(nodes: Sequence[Node]) -> Hashable:
    """Return the interface of the definitions of one name, as their users see it, without bodies. A variable
    has only its annotation; a class has its bases, fields and how it is made."""
    return tuple(_interface(node) for node in nodes)


def whole(nodes: Sequence[Node]) -> Hashable:
    """All that some definitions of one name say."""
    return tuple(_whole(node) for node in nodes)


def definitions(tree: ModuleTree, module: str, qualname: str) -> tuple[Node, ...]:
    """The definitions of a qualified name in a module of a tree; nothing where it has none."""
    table = tree.table(module) if tree.has(module) else None
    if table is None:
        return ()
    *outer, last = qualname.split(".")
    classes, functions, values = table.classes, table.functions, table.variables
    for name in outer:
        inner = next((c for c in reversed(classes) if c.name == name), None)
        if inner is None:
            return ()
        classes, functions, values = inner.classes, inner.functions, inner.attributes
    several: tuple[Node, ...] = (*values, *functions, *classes)
    return tuple(node for node in several if node.name == last)


def _interface(node: Node) -> Hashable:
    match node:
        case Function():
            return (node.parameters, node.annotation, node.decorators, node.is_async)
        case Class():
            made = [_interface(f) for f in node.functions if f.name in _MAKERS]
            fields = [(a.name, a.annotation, a.value) for a in node.attributes if not a.origin]
            return (node.bases, node.keywords, node.decorators, *made, *fields)
        case Attribute():
            return node.annotation


def _whole(node: Node) -> Hashable:
    match node:
        case Function():
            return (_interface(node), node.body)
        case Class():
            functions = [(f.name, _whole(f)) for f in node.functions]
            return (_interface(node), *functions, *((c.name, _whole(c)) for c in node.classes))
        case Attribute():
            return (node.annotation, node.value)
