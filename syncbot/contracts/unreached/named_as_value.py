"""Where code names a class or function as a value: who calls it, makes objects of it, or hands it on."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.remembered_answers import remembered
from syncbot.api.statements_with_word import Spelling
from syncbot.api.syntax import parse
from syncbot.api.tree import ModuleTree

#: What more modules name is not followed.
_FEW = 12


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that names something: module, scope (empty at module level), whether it is called or asked, the
    attributes of ``self`` that keep what it makes, the class that has it as a base there, and the attribute
    that it is asked for."""

    module: str
    scope: str
    called: bool = False
    kept: frozenset[str] = frozenset()
    derived: str = ""
    asked: str = ""


def mentions(tree: ModuleTree, name: str, without: Collection[str] = ()) -> list[Mention] | None:
    """The places in a tree that name ``name`` as a value, or at the end of a dotted string; None if too many,
    or if a module cannot be parsed. Left out are the modules ``without`` and what hands nothing on: imports,
    annotations, tests by ``isinstance``, owners of assigned attributes. Counts as a look at the modules."""
    word = re.compile(rb"\b%s\b" % re.escape(name.encode()))
    named = (m for m in tree.mentioning(tree.modules, name) if m not in without)
    modules = list(islice((m for m in named if word.search(tree.source(m) or b"")), _FEW + 1))
    if len(modules) > _FEW:
        return None
    tree.note(modules)
    found: list[Mention] = []
    for module in modules:
        places = _places(tree.source(module) or b"", name)
        if places is None:
            return None
        found += (Mention(module, *place) for place in places)
    return found


_Place = tuple[str, bool, frozenset[str], str, str]


@remembered(2048)
def _places(source: bytes, name: str) -> tuple[_Place, ...] | None:
    """The places in one text that name something, each once; None where it cannot be parsed."""
    try:
        return tuple(dict.fromkeys(_in(parse(source), name, Spelling(source, name), "", None)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _in(
    node: ast.AST, name: str, spelling: Spelling, scope: str, function: FunctionNode | None
) -> Iterator[_Place]:
    for child in _values(node):
        if spelling.lacks(child):
            continue
        if _names(child, name):
            # To ask a class for one of its methods hands nothing on either.
            asked = node.attr if isinstance(node, ast.Attribute) and child is node.value else ""
            called = bool(asked) or (isinstance(node, ast.Call) and child is node.func)
            called = called or (function is not None and _is_only_called(node, function))
            kept = _kept(function, name) if function is not None else frozenset[str]()
            derived = isinstance(node, ast.ClassDef) and child in node.bases
            yield scope, called, kept, scope if derived else "", asked
        elif isinstance(child, FunctionNode | ast.ClassDef):
            inner = f"{scope}.{child.name}" if scope else child.name
            # A function inside a function is part of what that one does.
            around = child if isinstance(child, FunctionNode) and function is None else function
            yield from _in(child, name, spelling, inner, around)
        else:
            yield from _in(child, name, spelling, scope, function)


def _is_only_called(node: ast.AST, function: FunctionNode) -> bool:
    """Whether a statement of a function gives a value to a local name that is only called."""
    match node:
        case ast.Assign(targets=[ast.Name(id=given)]):
            nodes = [*every_node(function)]
            called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
            read = [
                n for n in nodes if isinstance(n, ast.Name) and n.id == given and isinstance(n.ctx, ast.Load)
            ]
            outside = any(isinstance(n, ast.Global | ast.Nonlocal) and given in n.names for n in nodes)
            return bool(read) and not outside and all(id(n) in called for n in read)
    return False


def _names(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Attribute):
        return node.attr == name and isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.search(rf"[.:]{re.escape(name)}$|^{re.escape(name)}$", node.value) is not None
    return False


def _values(node: ast.AST) -> Iterator[ast.AST]:
    """The children of a node that are evaluated for their value."""
    match node:
        case ast.Import() | ast.ImportFrom():
            return
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[first, *_]):
            yield first
            return
        case ast.Assign(targets=targets, value=value):
            yield from (t for t in targets if not isinstance(t, ast.Attribute))
            yield value
            return
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST):
                yield child


def _kept(function: FunctionNode, name: str) -> frozenset[str]:
    """The attributes of ``self`` that a function sets to what it makes of a name, maybe by local names; none
    where it puts that on another object, too."""
    carriers, kept = {name}, set[str]()
    assignments = [n for n in every_node(function) if isinstance(n, ast.Assign | ast.AnnAssign)]
    while True:
        known = len(carriers) + len(kept)
        for statement in assignments:
            value = statement.value
            if value is None or not any(_carries(n, carriers) for n in every_node(value)):
                continue
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in (t for top in targets for t in every_node(top)):
                if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store):
                    carriers.add(target.id)
                elif isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store):
                    if dotted(target) != f"self.{target.attr}":
                        return frozenset()
                    kept.add(target.attr)
        if len(carriers) + len(kept) == known:
            return frozenset(kept)


def _carries(node: ast.AST, carriers: Collection[str]) -> bool:
    return (isinstance(node, ast.Name) and node.id in carriers) or (
        isinstance(node, ast.Attribute) and node.attr in carriers
    )
