"""Dictionaries that modules of upstream spell out, and whether anything else puts something there."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from syncbot.api.every_node import children, every_node
from syncbot.api.expressions import dotted
from syncbot.api.model import Attribute
from syncbot.api.remembered_answers import remembered
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parsed
from syncbot.api.universe import Universe

# Methods of dictionaries that put nothing there, and functions that only look.
_READING = {"get", "items", "keys", "values", "copy", "pop", "popitem", "clear"}
_LOOKING = {
    *("len", "list", "sorted", "tuple", "set", "frozenset", "dict", "iter", "enumerate", "print", "str"),
    *("repr", "join", "any", "all", "bool", "min", "max"),
}


def lacks_key(universe: Universe, table: Symbol, path: Sequence[str]) -> bool:
    """Whether a dictionary is spelled out without a key, and no module is seen to do with it what may put
    the key there."""
    return _spelled(universe, table, path, "lacks") and not may_be_filled(universe, table, path)


def _spelled(universe: Universe, table: Symbol, path: Sequence[str], asked: str) -> bool:
    last = table.nodes[-1] if table.nodes else None
    begun = isinstance(last, Attribute) and (last.value or "").startswith("{")
    if table.kind != "variable" or not begun:
        return False
    # Of a long value the table of the module has the beginning only.
    universe.replay((table.module,))
    source = universe.source(table.module)
    literal = _literal(source, table.qualname) if source is not None else None
    for key in path[:-1]:
        inner = _entries(literal).get(key) if literal is not None else None
        literal = inner if isinstance(inner, ast.Dict) else None
    if literal is None:
        return False
    entries = _entries(literal)
    if asked == "has":
        return path[-1] in entries
    return path[-1] not in entries and all(isinstance(k, ast.Constant) for k in literal.keys)


def _entries(literal: ast.Dict) -> dict[str, ast.expr]:
    pairs = zip(literal.keys, literal.values, strict=True)
    return {ast.unparse(key): value for key, value in pairs if isinstance(key, ast.Constant)}


@remembered(512)
def _literal(source: bytes, name: str) -> ast.Dict | None:
    """The one dictionary that a module gives a name at its top level, or in the body of a class."""
    tree = parsed(source)
    body = tree.body if tree is not None else []
    *owners, name = name.split(".")
    for owner in owners:
        classes = [s for s in body if isinstance(s, ast.ClassDef) and s.name == owner]
        body = classes[0].body if len(classes) == 1 else []
    found = list[ast.expr | None]()
    for statement in body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=target)], value=value)
                | ast.AnnAssign(target=ast.Name(id=target), value=value)
            ) if target == name:
                found.append(value)
    one = found[0] if len(found) == 1 else None
    return one if isinstance(one, ast.Dict) else None


def may_be_filled(universe: Universe, table: Symbol, path: Sequence[str] = ("",)) -> bool:
    """Whether a module of any tree does more with a container than to look into it. With keys, those alone
    count where single ones are put there."""
    owner, _, name = table.qualname.rpartition(".")
    for tree in universe.trees:
        for module in tree.mentioning(tree.modules, name):
            source, home = tree.source(module) or b"", module == table.module
            stored = _stored(source, name, home, len(path) > 1, bool(owner))
            if stored is None or path[0] in stored:
                tree.note((module,))
                return True
    return False


@remembered(512)
def _stored(source: bytes, name: str, home: bool, nested: bool, of_class: bool) -> frozenset[str] | None:
    """The keys that a text puts into a dictionary of that name; None where it may put in others. Of one that
    is ``nested``, any use counts that does not read an element of an element."""
    tree = parsed(source)
    if tree is None:
        return None
    locals_ = {name} if home else set() if of_class else set(_imported(tree, name))
    others = () if of_class else ("self", "cls")
    above = {id(child): node for node in every_node(tree) for child in children(node)}
    keys, definitions = set[str](), 0
    for node in every_node(tree):
        if not _is_table(node, name, locals_, others, above):
            continue
        parent = above[id(node)]
        if isinstance(parent, ast.Subscript) and parent.value is node and not nested:
            # What is changed in place, or taken away, has to be there.
            if not isinstance(parent.ctx, ast.Store) or isinstance(above[id(parent)], ast.AugAssign):
                continue
            if not isinstance(parent.slice, ast.Constant):
                return None
            keys.add(ast.unparse(parent.slice))
        elif home and _is_definition(node, parent, above):
            definitions += 1
        elif not (_reads_deep(node, above) if nested else _only_looks(node, parent)):
            return None
    return frozenset(keys) if definitions <= 1 else None


def _imported(tree: ast.Module, name: str) -> Iterator[str]:
    """Yield what a module calls a name that it imports."""
    for node in every_node(tree):
        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
            if alias.name in (name, "*"):
                yield alias.asname or name


def _is_table(
    node: ast.AST, name: str, locals_: set[str], others: Collection[str], above: Mapping[int, ast.AST]
) -> bool:
    match node:
        case ast.Name(id=id_):
            return id_ in locals_
        case ast.Attribute(value=owner, attr=attr):
            return attr == name and dotted(owner) not in others
        case ast.Constant(value=str(text)):
            # Mocks name it as a text, and so may ``getattr``.
            return text.endswith(f".{name}") or (text == name and isinstance(above[id(node)], ast.Call))
    return False


def _is_definition(node: ast.AST, parent: ast.AST, above: Mapping[int, ast.AST]) -> bool:
    places = ast.Module | ast.ClassDef
    placed = isinstance(parent, ast.Assign | ast.AnnAssign) and isinstance(above[id(parent)], places)
    return placed and isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _only_looks(node: ast.AST, parent: ast.AST) -> bool:
    """Whether what stands around a dictionary does not change it and hands it to nobody who may."""
    match parent:
        case ast.Attribute(attr=attr):
            return attr in _READING
        case ast.Compare(ops=operators):
            return all(isinstance(o, ast.In | ast.NotIn | ast.Eq | ast.NotEq) for o in operators)
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            return iterated is node
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(value=ast.Constant(), attr=called)):
            return called in _LOOKING
        case ast.keyword(arg=None) | ast.Starred() | ast.FormattedValue() | ast.If() | ast.Expr():
            return True
        case ast.Dict(keys=keys, values=values):
            return any(k is None and v is node for k, v in zip(keys, values, strict=True))
    return False


def _reads_deep(node: ast.AST, above: Mapping[int, ast.AST]) -> bool:
    """Whether an element of an element is read."""
    for _ in range(2):
        parent = above[id(node)]
        if not isinstance(parent, ast.Subscript) or parent.value is not node:
            return False
        if not isinstance(parent.ctx, ast.Load):
            return False
        node = parent
    return True
