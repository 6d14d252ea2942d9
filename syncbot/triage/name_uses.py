"""Whether a source uses a name, by its syntax: comments, and texts that only contain it, do not count."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.every_node import children, every_node
from syncbot.api.remembered_answers import remembered
from syncbot.api.syntax import syntax_tree

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@remembered(64)
def uses(text: bytes, function: str, name: str) -> bool:
    """Return whether functions of a name (all of a module where it is empty) name something: as a variable,
    an attribute, an argument or a parameter, in an import, or as a text that is nothing else."""
    return any(name in _named(node) for node in _within(text, function))


@remembered(64)
def binds(text: bytes, function: str, name: str) -> bool:
    """Return whether a name gets a value in functions of a name, or in the module around them."""
    scopes = [*_within(text, function), *_within(text, "<module>")]
    return any(name in _bound(node) for node in scopes)


@remembered(64)
def reads_attribute(text: bytes, name: str) -> bool:
    """Return whether something's attribute of that name is read, other than of ``self``."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == name
        and isinstance(node.ctx, ast.Load)
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
        for node in _within(text, "")
    )


@remembered(64)
def calling_functions(text: bytes, method: str) -> tuple[str, ...]:
    """Return the functions of a module that call something's method of that name, sorted."""
    found = {
        f"{owner}{node.name}"
        for owner, node in _functions(text)
        if any(
            isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr == method
            for each in every_node(node)
        )
    }
    return tuple(sorted(found))


@remembered(64)
def setting_methods(text: bytes, owner: str, attribute: str) -> tuple[str, ...]:
    """Return the methods of a class that give an attribute of ``self`` a value, sorted."""
    found = {
        node.name
        for around, node in _functions(text)
        if around == f"{owner}."
        and any(
            isinstance(each, ast.Attribute)
            and each.attr == attribute
            and isinstance(each.ctx, ast.Store)
            and isinstance(each.value, ast.Name)
            and each.value.id == "self"
            for each in every_node(node)
        )
    }
    return tuple(sorted(found))


def _parsed(text: bytes) -> ast.Module | None:
    try:
        return syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _functions(text: bytes) -> Iterator[tuple[str, _Function]]:
    """The functions of a source, each behind the classes around it."""
    tree = _parsed(text)
    left: list[tuple[str, ast.AST]] = [("", tree)] if tree is not None else []
    while left:
        around, parent = left.pop()
        for node in children(parent):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield around, node
            left.append((f"{around}{node.name}." if isinstance(node, ast.ClassDef) else around, node))


def _within(text: bytes, function: str) -> Iterator[ast.AST]:
    """The nodes of functions of a name, of the statements outside all functions, or of all."""
    if function and function != "<module>":
        for _, found in _functions(text):
            if found.name == function:
                yield from every_node(found)
        return
    tree = _parsed(text)
    if tree is None:
        return
    if not function:
        yield from every_node(tree)
        return
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            left += children(node)


def _named(node: ast.AST) -> tuple[str | None, ...]:
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        return (node.attr,)
    if isinstance(node, ast.keyword | ast.arg):
        return (node.arg,)
    if isinstance(node, ast.alias):
        return (node.asname, *node.name.split("."))
    return (node.value,) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ()


def _bound(node: ast.AST) -> tuple[str | None, ...]:
    if isinstance(node, ast.Name):
        return (node.id,) if isinstance(node.ctx, ast.Store) else ()
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (node.name,)
    if isinstance(node, ast.alias):
        return (node.asname or node.name.partition(".")[0],)
    return (node.arg,) if isinstance(node, ast.arg) else ()
