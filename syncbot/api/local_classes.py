"""Classes that functions define in their bodies, and what functions import. A module's table has them at its
top level, by names that no source text has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode
from syncbot.api.model import Attribute, Import, Parameter
from syncbot.api.statement_parts import branches, imported

# A letter, so that names stay names for Python and for regular expressions.
_IN = "\ua78f"

_HEAD = re.compile(r"[^\W\d]\w*")
_AROUND = re.compile(rf"\w*{_IN}")

_Guarded = tuple[ast.stmt, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class LocalClass:
    """A class as its module's table has it, on what conditions it is made, and the imports around it."""

    node: ast.ClassDef
    guards: tuple[str, ...]
    imports: tuple[Import, ...]


def table_name(qualname: Sequence[str]) -> str:
    """Return the table's name for a class of this qualified name: ``("Outer", "method", "Class")``."""
    return _IN.join(qualname)


def is_local(name: str) -> bool:
    """Whether a table's name is of what a function has inside."""
    return _IN in name


def readable(text: str) -> str:
    """A text with such names as a reader writes them."""
    return text.replace(_IN, ".")


def as_written(text: str) -> str:
    """A text with such names as the function around has them."""
    return _AROUND.sub("", text)


def local_classes(function: FunctionNode, around: Sequence[str]) -> Iterator[LocalClass]:
    """The classes in a function's body, those of the functions in it included. ``around`` are the names of
    what is around it."""
    return _classes(function, around, {}, ())


def _classes(
    function: FunctionNode, around: Sequence[str], outer: Mapping[str, str], before: tuple[Import, ...]
) -> Iterator[LocalClass]:
    """The same inside functions that bind names, which the table calls otherwise, in part by imports."""
    qualname = (*around, function.name)
    statements = list(_statements(function.body, ()))
    if not any(isinstance(inner, FunctionNode | ast.ClassDef) for inner, _ in statements):
        return
    imports = (*before, *_imports(statements, qualname))
    names = {**outer, **{name: table_name((*qualname, name)) for name in _bound(function, statements)}}
    for node, guards in statements:
        if isinstance(node, ast.ClassDef):
            named = copy(node)
            named.name = names[node.name]
            named.bases = [_renamed(base, names) for base in node.bases]
            yield LocalClass(named, guards, imports)
        elif isinstance(node, FunctionNode):
            yield from _classes(node, qualname, names, imports)


def local_imports(function: FunctionNode, around: Sequence[str]) -> tuple[Import, ...]:
    """The imports that a function makes, by the names that the table has for what they bind. ``around`` are
    the names of what is around it."""
    return tuple(_imports(list(_statements(function.body, ())), (*around, function.name)))


def by_table_names(
    attributes: Sequence[Attribute], imports: Sequence[Import], taken: Mapping[str, Sequence[Parameter]]
) -> tuple[Attribute, ...]:
    """Attributes that some functions set, values and annotations by the table's names for what is imported
    there or around; a parameter that one of them has ``taken`` hides an import."""
    names = {as_written(item.local): item.local for item in imports}
    hidden = {function: {p.name for p in parameters} for function, parameters in taken.items()}

    def renamed(text: str | None, origin: str) -> str | None:
        head = _HEAD.match(text or "")
        if head is None or head[0] in hidden.get(origin, ()):
            return text
        return names.get(head[0], head[0]) + (text or "")[head.end() :]

    return tuple(
        replace(a, value=renamed(a.value, a.origin), annotation=renamed(a.annotation, a.origin))
        for a in attributes
    )


def _imports(statements: Sequence[_Guarded], qualname: Sequence[str]) -> Iterator[Import]:
    for node, guards in statements:
        for item in imported(node, "", guards) if isinstance(node, ast.Import | ast.ImportFrom) else ():
            # ``import a.b`` binds ``a``, which the name told until now.
            head = item.module.partition(".")[0]
            whole = item.name is None and item.local == head
            name = table_name((*qualname, item.local))
            yield replace(item, local=name, module=head if whole else item.module)


def _statements(body: Sequence[ast.stmt], guards: tuple[str, ...]) -> Iterator[_Guarded]:
    for node in body:
        yield node, guards
        if not isinstance(node, FunctionNode | ast.ClassDef):
            for inner, condition in branches(node):
                yield from _statements(inner, guards + condition)


def _bound(function: FunctionNode, statements: Sequence[_Guarded]) -> Iterator[str]:
    """The names that a function binds in any way."""
    for node in every_node(function.args):
        if isinstance(node, ast.arg):
            yield node.arg
    for statement, _ in statements:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Import() | ast.ImportFrom():
                yield from (item.local for item in imported(statement, ""))
            case _:
                nodes = (node for node in every_node(statement) if isinstance(node, ast.Name))
                yield from (node.id for node in nodes if isinstance(node.ctx, ast.Store))


def _renamed(base: ast.expr, names: Mapping[str, str]) -> ast.expr:
    """A base by the name that the table has for it, ``a.b`` and ``a[b]`` by that of ``a``."""
    match base:
        case ast.Name(id=name):
            return ast.copy_location(ast.Name(id=names.get(name, name), ctx=ast.Load()), base)
        case ast.Attribute(value=value) | ast.Subscript(value=value):
            changed = copy(base)
            changed.value = _renamed(value, names)
            return changed
    return base
